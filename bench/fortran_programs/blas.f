C     Routines of the level of BLAS and LAPACK, in fixed form, as they
C     were written for Fortran 77.

* expect: loop-free
      SUBROUTINE DAXPY1(N, DA, DX, DY)
      INTEGER N, I, M
      DOUBLE PRECISION DA, DX(*), DY(*)
      IF (N .LE. 0) RETURN
      IF (DA .EQ. 0.0D0) RETURN
      M = MOD(N, 4)
      IF (M .EQ. 0) GO TO 40
      DO 30 I = 1, M
         DY(I) = DY(I) + DA*DX(I)
   30 CONTINUE
      IF (N .LT. 4) RETURN
   40 CONTINUE
      DO 50 I = M + 1, N, 4
         DY(I) = DY(I) + DA*DX(I)
         DY(I+1) = DY(I+1) + DA*DX(I+1)
         DY(I+2) = DY(I+2) + DA*DX(I+2)
         DY(I+3) = DY(I+3) + DA*DX(I+3)
   50 CONTINUE
      RETURN
      END

* expect: loop-free
      DOUBLE PRECISION FUNCTION DDOT1(N, DX, DY)
      INTEGER N, I
      DOUBLE PRECISION DX(*), DY(*), DTEMP
      DDOT1 = 0.0D0
      DTEMP = 0.0D0
      IF (N .LE. 0) RETURN
      DO 10 I = 1, N
         DTEMP = DTEMP + DX(I)*DY(I)
   10 CONTINUE
      DDOT1 = DTEMP
      RETURN
      END

* expect: loop-free
      SUBROUTINE DSCAL2(N, DA, DX, INCX)
      INTEGER N, INCX, I, IX
      DOUBLE PRECISION DA, DX(*)
      IF (N .LE. 0 .OR. INCX .LE. 0) RETURN
      IX = 1
      DO 10 I = 1, N
         DX(IX) = DA*DX(IX)
         IX = IX + INCX
   10 CONTINUE
      RETURN
      END

* expect: loop-free
      SUBROUTINE SSWAP1(N, SX, SY)
      INTEGER N, I
      REAL SX(*), SY(*), STEMP
      DO 20 I = 1, N
         STEMP = SX(I)
         SX(I) = SY(I)
         SY(I) = STEMP
   20 CONTINUE
      END

* expect: loop-free
      REAL FUNCTION SASUM1(N, SX)
      INTEGER N, I
      REAL SX(*)
      SASUM1 = 0.0E0
      DO 10 I = 1, N
   10 SASUM1 = SASUM1 + ABS(SX(I))
      RETURN
      END

* expect: loop-free
      SUBROUTINE DROT1(N, DX, DY, C, S)
      INTEGER N, I
      DOUBLE PRECISION DX(N), DY(N), C, S, DTEMP
      DO 20 I = 1, N
         DTEMP = C*DX(I) + S*DY(I)
         DY(I) = C*DY(I) - S*DX(I)
         DX(I) = DTEMP
   20 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DGEMV1(M, N, ALPHA, A, LDA, X, BETA, Y)
      INTEGER M, N, LDA, I, J
      DOUBLE PRECISION ALPHA, BETA, A(LDA,*), X(*), Y(*), TEMP
      DO 10 I = 1, M
         Y(I) = BETA*Y(I)
   10 CONTINUE
      DO 30 J = 1, N
         TEMP = ALPHA*X(J)
         DO 20 I = 1, M
            Y(I) = Y(I) + TEMP*A(I,J)
   20    CONTINUE
   30 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DGER1(M, N, ALPHA, X, Y, A, LDA)
      INTEGER M, N, LDA, I, J
      DOUBLE PRECISION ALPHA, A(LDA,*), X(*), Y(*)
      DO 20 J = 1, N
         IF (Y(J) .EQ. 0.0D0) GO TO 20
         DO 10 I = 1, M
            A(I,J) = A(I,J) + ALPHA*X(I)*Y(J)
   10    CONTINUE
   20 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DSYMV1(N, A, LDA, X, Y)
      INTEGER N, LDA, I, J
      DOUBLE PRECISION A(LDA,N), X(N), Y(N)
      DO 10 I = 1, N
   10 Y(I) = 0.0D0
      DO 30 J = 1, N
         DO 20 I = 1, J - 1
            Y(I) = Y(I) + X(J)*A(I,J)
            Y(J) = Y(J) + X(I)*A(I,J)
   20    CONTINUE
         Y(J) = Y(J) + X(J)*A(J,J)
   30 CONTINUE
      END

* expect: hybrid
      SUBROUTINE DTRSV1(N, A, LDA, X)
      INTEGER N, LDA, I, J
      DOUBLE PRECISION A(LDA,*), X(*), TEMP
      DO 20 J = N, 1, -1
         X(J) = X(J)/A(J,J)
         TEMP = X(J)
         DO 10 I = J - 1, 1, -1
            X(I) = X(I) - TEMP*A(I,J)
   10    CONTINUE
   20 CONTINUE
      END

* expect: hybrid
      SUBROUTINE DGEFA1(A, LDA, N)
      INTEGER LDA, N, J, K
      DOUBLE PRECISION A(LDA,N), T
      DO 60 K = 1, N - 1
         T = -1.0D0/A(K,K)
         CALL DSCALC(N-K, T, A(K+1,K))
         DO 30 J = K + 1, N
            T = A(K,J)
            CALL DAXPYC(N-K, T, A(K+1,K), A(K+1,J))
   30    CONTINUE
   60 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DSCALC(N, T, X)
      INTEGER N, I
      DOUBLE PRECISION T, X(N)
      DO 10 I = 1, N
   10 X(I) = T*X(I)
      END

* expect: loop-free
      SUBROUTINE DAXPYC(N, T, X, Y)
      INTEGER N, I
      DOUBLE PRECISION T, X(N), Y(N)
      DO 10 I = 1, N
   10 Y(I) = Y(I) + T*X(I)
      END

* expect: loop-free
      SUBROUTINE DLASET1(M, N, ALPHA, BETA, A, LDA)
      INTEGER M, N, LDA, I, J
      DOUBLE PRECISION ALPHA, BETA, A(LDA,*)
      DO 20 J = 1, N
         DO 10 I = 1, M
            A(I,J) = ALPHA
   10    CONTINUE
   20 CONTINUE
      DO 30 I = 1, MIN(M, N)
         A(I,I) = BETA
   30 CONTINUE
      END

* expect: unchanged
      SUBROUTINE DGTSV1(N, DL, D, DU, B)
      INTEGER N, K
      DOUBLE PRECISION DL(*), D(*), DU(*), B(*), FACT
      DO 10 K = 1, N - 1
         FACT = DL(K)/D(K)
         D(K+1) = D(K+1) - FACT*DU(K)
         B(K+1) = B(K+1) - FACT*B(K)
   10 CONTINUE
      B(N) = B(N)/D(N)
      DO 20 K = N - 1, 1, -1
         B(K) = (B(K) - DU(K)*B(K+1))/D(K)
   20 CONTINUE
      END

* expect: loop-free
      SUBROUTINE STATE1(N, X)
      INTEGER N, I
      DOUBLE PRECISION X(N), SCALE
      COMMON /PARAMS/ SCALE
      DO 10 I = 1, N
   10 X(I) = SCALE*X(I)
      END

* expect: loop-free
      SUBROUTINE STFUN1(N, X)
      INTEGER N, I
      DOUBLE PRECISION X(N), SQ, Z
      SQ(Z) = Z*Z
      DO 10 I = 1, N
   10 X(I) = SQ(X(I))
      END
