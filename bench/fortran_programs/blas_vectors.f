C     Vectors of BLAS, whose elements stand INCX apart: a vector of a
C     negative increment begins at its end.

* expect: loop-free
      SUBROUTINE DSCAL3(N, A, X, INCX)
      INTEGER N, INCX, I, M
      DOUBLE PRECISION A, X(*)
      IF (N .LE. 0 .OR. INCX .LE. 0) RETURN
      IF (INCX .EQ. 1) THEN
         M = MOD(N, 5)
         IF (M .NE. 0) THEN
            DO I = 1, M
               X(I) = A*X(I)
            END DO
            IF (N .LT. 5) RETURN
         END IF
         DO I = M + 1, N, 5
            X(I) = A*X(I)
            X(I+1) = A*X(I+1)
            X(I+2) = A*X(I+2)
            X(I+3) = A*X(I+3)
            X(I+4) = A*X(I+4)
         END DO
      ELSE
         DO I = 1, N*INCX, INCX
            X(I) = A*X(I)
         END DO
      END IF
      END

* expect: loop-free
      SUBROUTINE DAXPY3(N, A, X, INCX, Y, INCY)
      INTEGER N, INCX, INCY, I, KX, KY
      DOUBLE PRECISION A, X(*), Y(*)
      IF (N .LE. 0 .OR. A .EQ. 0.0D0) RETURN
      KX = 1
      KY = 1
      IF (INCX .LT. 0) KX = 1 - (N - 1)*INCX
      IF (INCY .LT. 0) KY = 1 - (N - 1)*INCY
      DO 10 I = 1, N
         Y(KY) = Y(KY) + A*X(KX)
         KX = KX + INCX
         KY = KY + INCY
   10 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DAXPY4(N, A, X, INCX, Y, INCY)
      INTEGER N, INCX, INCY, I, M, KX, KY
      DOUBLE PRECISION A, X(*), Y(*)
      IF (N .LE. 0) RETURN
      IF (INCX .EQ. 1 .AND. INCY .EQ. 1) THEN
         M = MOD(N, 4)
         IF (M .NE. 0) THEN
            DO I = 1, M
               Y(I) = Y(I) + A*X(I)
            END DO
         END IF
         IF (N .LT. 4) RETURN
         DO I = M + 1, N, 4
            Y(I) = Y(I) + A*X(I)
            Y(I+1) = Y(I+1) + A*X(I+1)
            Y(I+2) = Y(I+2) + A*X(I+2)
            Y(I+3) = Y(I+3) + A*X(I+3)
         END DO
      ELSE
         KX = 1
         KY = 1
         IF (INCX .LT. 0) KX = (1 - N)*INCX + 1
         IF (INCY .LT. 0) KY = (1 - N)*INCY + 1
         DO I = 1, N
            Y(KY) = Y(KY) + A*X(KX)
            KX = KX + INCX
            KY = KY + INCY
         END DO
      END IF
      END

* expect: loop-free
      DOUBLE PRECISION FUNCTION DDOT3(N, X, INCX, Y, INCY)
      INTEGER N, INCX, INCY, I, M, KX, KY
      DOUBLE PRECISION X(*), Y(*), T
      DDOT3 = 0.0D0
      T = 0.0D0
      IF (N .LE. 0) RETURN
      IF (INCX .EQ. 1 .AND. INCY .EQ. 1) THEN
         M = MOD(N, 5)
         DO I = 1, M
            T = T + X(I)*Y(I)
         END DO
         IF (N .LT. 5) THEN
            DDOT3 = T
            RETURN
         END IF
         DO I = M + 1, N, 5
            T = T + X(I)*Y(I) + X(I+1)*Y(I+1) + X(I+2)*Y(I+2) +
     $          X(I+3)*Y(I+3) + X(I+4)*Y(I+4)
         END DO
      ELSE
         KX = 1
         KY = 1
         IF (INCX .LT. 0) KX = (1 - N)*INCX + 1
         IF (INCY .LT. 0) KY = (1 - N)*INCY + 1
         DO I = 1, N
            T = T + X(KX)*Y(KY)
            KX = KX + INCX
            KY = KY + INCY
         END DO
      END IF
      DDOT3 = T
      END

* expect: loop-free
      SUBROUTINE SSWAP3(N, X, INCX, Y, INCY)
      INTEGER N, INCX, INCY, I, KX, KY
      REAL X(*), Y(*), T
      KX = 1
      KY = 1
      IF (INCX .LE. 0) KX = (1 - N)*INCX + 1
      IF (INCY .LE. 0) KY = (1 - N)*INCY + 1
      DO 20 I = 1, N
         T = X(KX)
         X(KX) = Y(KY)
         Y(KY) = T
         KX = KX + INCX
         KY = KY + INCY
   20 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DROT3(N, X, INCX, Y, INCY, C, S)
      INTEGER N, INCX, INCY, I, KX, KY
      DOUBLE PRECISION X(*), Y(*), C, S, T
      IF (N .LE. 0) RETURN
      IF (INCX .EQ. 1 .AND. INCY .EQ. 1) GO TO 20
      KX = 1
      KY = 1
      IF (INCX .LT. 0) KX = (-N + 1)*INCX + 1
      IF (INCY .LT. 0) KY = (-N + 1)*INCY + 1
      DO 10 I = 1, N
         T = C*X(KX) + S*Y(KY)
         Y(KY) = C*Y(KY) - S*X(KX)
         X(KX) = T
         KX = KX + INCX
         KY = KY + INCY
   10 CONTINUE
      RETURN
   20 DO 30 I = 1, N
         T = C*X(I) + S*Y(I)
         Y(I) = C*Y(I) - S*X(I)
         X(I) = T
   30 CONTINUE
      END

* expect: loop-free
      DOUBLE PRECISION FUNCTION DASUM3(N, X, INCX)
      INTEGER N, INCX, I, LAST
      DOUBLE PRECISION X(*), T
      DASUM3 = 0.0D0
      T = 0.0D0
      IF (N .LE. 0 .OR. INCX .LE. 0) RETURN
      LAST = N*INCX
      DO I = 1, LAST, INCX
         T = T + DABS(X(I))
      END DO
      DASUM3 = T
      END

* expect: loop-free
      INTEGER FUNCTION IDAMX3(N, X, INCX)
      INTEGER N, INCX, I, KX
      DOUBLE PRECISION X(*), BIG
      IDAMX3 = 0
      IF (N .LT. 1 .OR. INCX .LE. 0) RETURN
      IDAMX3 = 1
      IF (N .EQ. 1) RETURN
      KX = 1
      BIG = ABS(X(1))
      KX = KX + INCX
      DO 5 I = 2, N
         IF (ABS(X(KX)) .LE. BIG) GO TO 4
         IDAMX3 = I
         BIG = ABS(X(KX))
    4    KX = KX + INCX
    5 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DGEMV3(M, N, ALPHA, A, LDA, X, INCX, BETA, Y, INCY)
      INTEGER M, N, LDA, INCX, INCY, I, J, IY, JX, KX, KY
      DOUBLE PRECISION ALPHA, BETA, A(LDA,*), X(*), Y(*), T
      IF (M .EQ. 0 .OR. N .EQ. 0) RETURN
      KX = 1
      KY = 1
      IF (INCX .LT. 0) KX = 1 - (N - 1)*INCX
      IF (INCY .LT. 0) KY = 1 - (M - 1)*INCY
      IY = KY
      DO 10 I = 1, M
         Y(IY) = BETA*Y(IY)
         IY = IY + INCY
   10 CONTINUE
      JX = KX
      DO 30 J = 1, N
         T = ALPHA*X(JX)
         IY = KY
         DO 20 I = 1, M
            Y(IY) = Y(IY) + T*A(I,J)
            IY = IY + INCY
   20    CONTINUE
         JX = JX + INCX
   30 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DSYR3(N, ALPHA, X, INCX, A, LDA)
      INTEGER N, INCX, LDA, I, J, IX, JX, KX
      DOUBLE PRECISION ALPHA, X(*), A(LDA,*), T
      KX = 1
      IF (INCX .LE. 0) KX = 1 - (N - 1)*INCX
      JX = KX
      DO 20 J = 1, N
         IF (X(JX) .NE. 0.0D0) THEN
            T = ALPHA*X(JX)
            IX = KX
            DO 10 I = 1, J
               A(I,J) = A(I,J) + X(IX)*T
               IX = IX + INCX
   10       CONTINUE
         END IF
         JX = JX + INCX
   20 CONTINUE
      END

* expect: hybrid
      SUBROUTINE DTRSV3(N, A, LDA, X, INCX)
      INTEGER N, LDA, INCX, I, J, IX, JX, KX
      DOUBLE PRECISION A(LDA,*), X(*), T
      KX = 1
      IF (INCX .LE. 0) KX = 1 - (N - 1)*INCX
      JX = KX + (N - 1)*INCX
      DO 20 J = N, 1, -1
         IF (X(JX) .NE. 0.0D0) THEN
            X(JX) = X(JX)/A(J,J)
            T = X(JX)
            IX = JX
            DO 10 I = J - 1, 1, -1
               IX = IX - INCX
               X(IX) = X(IX) - T*A(I,J)
   10       CONTINUE
         END IF
         JX = JX - INCX
   20 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DROTM3(N, X, INCX, Y, INCY, H)
      INTEGER N, INCX, INCY, I, NSTEPS, KX, KY
      DOUBLE PRECISION X(*), Y(*), H, W, Z
      IF (N .LE. 0) RETURN
      IF (INCX .EQ. INCY .AND. INCX .GT. 0) THEN
         NSTEPS = N*INCX
         DO I = 1, NSTEPS, INCX
            W = X(I)
            Z = Y(I)
            X(I) = W + Z*H
            Y(I) = W*H + Z
         END DO
      ELSE
         KX = 1
         KY = 1
         IF (INCX .LT. 0) KX = 1 + (1 - N)*INCX
         IF (INCY .LT. 0) KY = 1 + (1 - N)*INCY
         DO I = 1, N
            W = X(KX)
            Z = Y(KY)
            X(KX) = W + Z*H
            Y(KY) = W*H + Z
            KX = KX + INCX
            KY = KY + INCY
         END DO
      END IF
      END
