C     Routines of the level of LAPACK, which call BLAS.

* expect: hybrid
      SUBROUTINE DPOTF7(N, A, LDA)
      INTEGER N, LDA, J
      DOUBLE PRECISION A(LDA,*), AJJ, DDOT
      EXTERNAL DDOT, DGEMV, DSCAL
      DO 10 J = 1, N
         AJJ = SQRT(A(J,J) - DDOT(J-1, A(J,1), LDA, A(J,1), LDA))
         A(J,J) = AJJ
         IF (J .LT. N) THEN
            CALL DGEMV('No transpose', N-J, J-1, -1.0D0, A(J+1,1), LDA,
     $                 A(J,1), LDA, 1.0D0, A(J+1,J), 1)
            CALL DSCAL(N-J, 1.0D0/AJJ, A(J+1,J), 1)
         END IF
   10 CONTINUE
      END

* expect: hybrid
      SUBROUTINE DGETF7(N, A, LDA)
      INTEGER N, LDA, J
      DOUBLE PRECISION A(LDA,*)
      DO 10 J = 1, N - 1
         CALL DSCAL(N-J, 1.0D0/A(J,J), A(J+1,J), 1)
         CALL DGER(N-J, N-J, -1.0D0, A(J+1,J), 1, A(J,J+1), LDA,
     $             A(J+1,J+1), LDA)
   10 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DLARF7(M, N, V, TAU, C, LDC, WORK)
      INTEGER M, N, LDC
      DOUBLE PRECISION V(*), TAU, C(LDC,*), WORK(*)
      IF (TAU .NE. 0.0D0) THEN
         CALL DGEMV('T', M, N, 1.0D0, C, LDC, V, 1, 0.0D0, WORK, 1)
         CALL DGER(M, N, -TAU, V, 1, WORK, 1, C, LDC)
      END IF
      END

* expect: loop-free
      SUBROUTINE DLACP7(UPLO, M, N, A, LDA, B, LDB)
      CHARACTER UPLO
      INTEGER M, N, LDA, LDB, I, J
      DOUBLE PRECISION A(LDA,*), B(LDB,*)
      LOGICAL LSAME
      EXTERNAL LSAME
      IF (LSAME(UPLO, 'U')) THEN
         DO 20 J = 1, N
            DO 10 I = 1, MIN(J, M)
               B(I,J) = A(I,J)
   10       CONTINUE
   20    CONTINUE
      ELSE IF (LSAME(UPLO, 'L')) THEN
         DO 40 J = 1, N
            DO 30 I = J, M
               B(I,J) = A(I,J)
   30       CONTINUE
   40    CONTINUE
      ELSE
         DO 60 J = 1, N
            DO 50 I = 1, M
               B(I,J) = A(I,J)
   50       CONTINUE
   60    CONTINUE
      END IF
      END

* expect: loop-free
      SUBROUTINE DLASE7(UPLO, M, N, ALPHA, BETA, A, LDA)
      CHARACTER UPLO
      INTEGER M, N, LDA, I, J
      DOUBLE PRECISION ALPHA, BETA, A(LDA,*)
      LOGICAL LSAME
      IF (LSAME(UPLO, 'U')) THEN
         DO 20 J = 2, N
            DO 10 I = 1, MIN(J - 1, M)
               A(I,J) = ALPHA
   10       CONTINUE
   20    CONTINUE
      ELSE IF (LSAME(UPLO, 'L')) THEN
         DO 40 J = 1, MIN(M, N)
            DO 30 I = J + 1, M
               A(I,J) = ALPHA
   30       CONTINUE
   40    CONTINUE
      ELSE
         DO 60 J = 1, N
            DO 50 I = 1, M
               A(I,J) = ALPHA
   50       CONTINUE
   60    CONTINUE
      END IF
      DO 70 I = 1, MIN(M, N)
         A(I,I) = BETA
   70 CONTINUE
      END

* expect: loop-free
      DOUBLE PRECISION FUNCTION DLANG7(M, N, A, LDA)
      INTEGER M, N, LDA, I, J
      DOUBLE PRECISION A(LDA,*), S
      DLANG7 = 0.0D0
      DO 20 J = 1, N
         S = 0.0D0
         DO 10 I = 1, M
            S = S + ABS(A(I,J))
   10    CONTINUE
         IF (DLANG7 .LT. S) DLANG7 = S
   20 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DLAPM7(M, N, X, LDX, D, E)
      INTEGER M, N, LDX, I, J
      DOUBLE PRECISION X(LDX,*), D(*), E(*)
      DO 20 J = 1, N
         DO 10 I = 1, M
            X(I,J) = D(I)*X(I,J)*E(J)
   10    CONTINUE
   20 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DLAGT7(N, NRHS, ALPHA, DL, D, DU, X, LDX, B, LDB)
      INTEGER N, NRHS, LDX, LDB, I, J
      DOUBLE PRECISION ALPHA, DL(*), D(*), DU(*), X(LDX,*), B(LDB,*)
      DO 60 J = 1, NRHS
         IF (N .EQ. 1) THEN
            B(1,J) = B(1,J) + D(1)*X(1,J)
         ELSE
            B(1,J) = B(1,J) + D(1)*X(1,J) + DU(1)*X(2,J)
            B(N,J) = B(N,J) + DL(N-1)*X(N-1,J) + D(N)*X(N,J)
            DO 50 I = 2, N - 1
               B(I,J) = B(I,J) + DL(I-1)*X(I-1,J) + D(I)*X(I,J) +
     $                  DU(I)*X(I+1,J)
   50       CONTINUE
         END IF
   60 CONTINUE
      END

* expect: unchanged
      SUBROUTINE DPTTF7(N, D, E)
      INTEGER N, I
      DOUBLE PRECISION D(*), E(*), EI
      DO 10 I = 1, N - 1
         EI = E(I)
         E(I) = EI/D(I)
         D(I+1) = D(I+1) - E(I)*EI
   10 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DLARN7(N, NRHS, A, LDA, B, LDB, R, LDR)
      INTEGER N, NRHS, LDA, LDB, LDR
      DOUBLE PRECISION A(LDA,*), B(LDB,*), R(LDR,*)
      CALL DGEMM('N', 'N', N, NRHS, N, -1.0D0, A, LDA, B, LDB, 1.0D0,
     $           R, LDR)
      END

* expect: loop-free
      DOUBLE PRECISION FUNCTION DRQ7(N, A, LDA, X, Y)
      INTEGER N, LDA
      DOUBLE PRECISION A(LDA,*), X(*), Y(*), DDOT, DNRM2
      EXTERNAL DDOT, DNRM2
      CALL DGEMV('N', N, N, 1.0D0, A, LDA, X, 1, 0.0D0, Y, 1)
      DRQ7 = DDOT(N, X, 1, Y, 1)/DNRM2(N, X, 1)**2
      END

* expect: loop-free
      SUBROUTINE ZROT7(N, CX, INCX, CY, INCY, C, S)
      INTEGER N, INCX, INCY, I, IX, IY
      DOUBLE PRECISION C
      COMPLEX*16 CX(*), CY(*), S, T
      IX = 1
      IY = 1
      IF (INCX .LT. 0) IX = (-N + 1)*INCX + 1
      IF (INCY .LT. 0) IY = (-N + 1)*INCY + 1
      DO 10 I = 1, N
         T = C*CX(IX) + S*CY(IY)
         CY(IY) = C*CY(IY) - DCONJG(S)*CX(IX)
         CX(IX) = T
         IX = IX + INCX
         IY = IY + INCY
   10 CONTINUE
      END

* expect: hybrid
      SUBROUTINE DLASW7(N, A, K1, K2, IPIV)
      INTEGER K1, K2, N, IPIV(*), I, IP, J
      DOUBLE PRECISION A(N,N), TEMP
      DO 20 I = K1, K2
         IP = IPIV(I)
         IF (IP .NE. I) THEN
            DO 10 J = 1, N
               TEMP = A(I,J)
               A(I,J) = A(IP,J)
               A(IP,J) = TEMP
   10       CONTINUE
         END IF
   20 CONTINUE
      END

* expect: hybrid
      SUBROUTINE DGEFP7(N, A, IPIV)
      INTEGER N, IPIV(*), I, J, K, JP
      DOUBLE PRECISION A(N,N), P, T
      DO 50 J = 1, N
         JP = J
         P = ABS(A(J,J))
         DO 10 I = J+1, N
            IF (ABS(A(I,J)) .GT. P) THEN
               P = ABS(A(I,J))
               JP = I
            END IF
   10    CONTINUE
         IPIV(J) = JP
         IF (JP .NE. J) THEN
            DO 20 K = 1, N
               T = A(J,K)
               A(J,K) = A(JP,K)
               A(JP,K) = T
   20       CONTINUE
         END IF
         DO 30 I = J+1, N
            A(I,J) = A(I,J)/A(J,J)
   30    CONTINUE
         DO 45 K = J+1, N
            DO 40 I = J+1, N
               A(I,K) = A(I,K) - A(I,J)*A(J,K)
   40       CONTINUE
   45    CONTINUE
   50 CONTINUE
      END
