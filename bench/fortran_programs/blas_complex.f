C     Complex vectors and matrices: programs compute with both parts.

* expect: loop-free
      SUBROUTINE ZAXPY6(N, A, X, INCX, Y, INCY)
      INTEGER N, INCX, INCY, I, KX, KY
      COMPLEX*16 A, X(*), Y(*)
      IF (N .LE. 0) RETURN
      KX = 1
      KY = 1
      IF (INCX .LT. 0) KX = (1 - N)*INCX + 1
      IF (INCY .LT. 0) KY = (1 - N)*INCY + 1
      DO 10 I = 1, N
         Y(KY) = Y(KY) + A*X(KX)
         KX = KX + INCX
         KY = KY + INCY
   10 CONTINUE
      END

* expect: loop-free
      COMPLEX FUNCTION CDOTC6(N, X, Y)
      INTEGER N, I
      COMPLEX X(*), Y(*), T
      T = (0.0E0, 0.0E0)
      DO 10 I = 1, N
   10 T = T + CONJG(X(I))*Y(I)
      CDOTC6 = T
      END

* expect: loop-free
      SUBROUTINE ZGEMV6(TRANS, M, N, ALPHA, A, LDA, X, BETA, Y)
      CHARACTER TRANS
      INTEGER M, N, LDA, I, J
      DOUBLE COMPLEX ALPHA, BETA, A(LDA,*), X(*), Y(*), T, ZERO
      PARAMETER (ZERO = (0.0D0,0.0D0))
      LOGICAL LSAME
      EXTERNAL LSAME
      DO 40 J = 1, N
         T = ZERO
         DO 20 I = 1, M
            IF (LSAME(TRANS, 'C')) THEN
               T = T + DCONJG(A(I,J))*X(I)
            ELSE
               T = T + A(I,J)*X(I)
            END IF
   20    CONTINUE
         IF (BETA .EQ. ZERO) THEN
            Y(J) = ALPHA*T
         ELSE
            Y(J) = ALPHA*T + BETA*Y(J)
         END IF
   40 CONTINUE
      END

* expect: loop-free
      DOUBLE PRECISION FUNCTION DZNRM6(N, Z)
      INTEGER N, I
      COMPLEX*16 Z(N)
      DOUBLE PRECISION T
      T = 0.0D0
      DO 10 I = 1, N
   10 T = T + DBLE(Z(I))**2 + DIMAG(Z(I))**2
      DZNRM6 = SQRT(T)
      END

* expect: scan
      SUBROUTINE ZPROD6(N, Z, W)
      INTEGER N, I
      COMPLEX*16 Z(N), W
      W = (1.0D0, -1.0D0)
      DO 10 I = 1, N
         W = W + Z(I)/(2.0D0, 1.0D0) + CMPLX(I, 0)
         Z(I) = W*ABS(Z(I))
   10 CONTINUE
      END

* expect: loop-free
      SUBROUTINE ZHER6(UPLO, N, ALPHA, X, A, LDA)
      CHARACTER UPLO
      INTEGER N, LDA, I, J
      DOUBLE PRECISION ALPHA
      COMPLEX*16 X(*), A(LDA,*), T
      LOGICAL LSAME
      EXTERNAL LSAME
      DO 40 J = 1, N
         T = ALPHA*DCONJG(X(J))
         A(J,J) = DBLE(A(J,J)) + DBLE(X(J)*T)
         IF (LSAME(UPLO, 'U')) THEN
            DO 20 I = 1, J - 1
               A(I,J) = A(I,J) + X(I)*T
   20       CONTINUE
         ELSE
            DO 30 I = J + 1, N
               A(I,J) = A(I,J) + X(I)*T
   30       CONTINUE
         END IF
   40 CONTINUE
      END
