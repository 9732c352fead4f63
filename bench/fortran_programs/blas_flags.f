C     Routines of BLAS with flags: LSAME compares them, XERBLA is told
C     of what is wrong.

* expect: loop-free
      SUBROUTINE DGER5(M, N, ALPHA, X, INCX, Y, INCY, A, LDA)
      INTEGER M, N, INCX, INCY, LDA, I, J, IX, JY, KX, INFO
      DOUBLE PRECISION ALPHA, X(*), Y(*), A(LDA,*), T, ZERO
      PARAMETER (ZERO = 0.0D0)
      EXTERNAL XERBLA
      INTRINSIC MAX
      INFO = 0
      IF (M .LT. 0) THEN
         INFO = 1
      ELSE IF (N .LT. 0) THEN
         INFO = 2
      ELSE IF (INCX .EQ. 0) THEN
         INFO = 5
      ELSE IF (LDA .LT. MAX(1, M)) THEN
         INFO = 9
      END IF
      IF (INFO .NE. 0) THEN
         CALL XERBLA('DGER5 ', INFO)
         RETURN
      END IF
      JY = 1
      IF (INCY .LT. 0) JY = 1 - (N - 1)*INCY
      KX = 1
      IF (INCX .LT. 0) KX = 1 - (M - 1)*INCX
      DO 20 J = 1, N
         IF (Y(JY) .NE. ZERO) THEN
            T = ALPHA*Y(JY)
            IX = KX
            DO 10 I = 1, M
               A(I,J) = A(I,J) + X(IX)*T
               IX = IX + INCX
   10       CONTINUE
         END IF
         JY = JY + INCY
   20 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DSYMV5(UPLO, N, A, LDA, X, Y)
      CHARACTER*1 UPLO
      INTEGER N, LDA, I, J
      DOUBLE PRECISION A(LDA,*), X(*), Y(*), T, S
      LOGICAL LSAME
      EXTERNAL LSAME
      IF (LSAME(UPLO, 'U')) THEN
         DO 20 J = 1, N
            T = X(J)
            S = 0.0D0
            DO 10 I = 1, J - 1
               Y(I) = Y(I) + T*A(I,J)
               S = S + A(I,J)*X(I)
   10       CONTINUE
            Y(J) = Y(J) + T*A(J,J) + S
   20    CONTINUE
      ELSE
         DO 40 J = 1, N
            T = X(J)
            S = 0.0D0
            Y(J) = Y(J) + T*A(J,J)
            DO 30 I = J + 1, N
               Y(I) = Y(I) + T*A(I,J)
               S = S + A(I,J)*X(I)
   30       CONTINUE
            Y(J) = Y(J) + S
   40    CONTINUE
      END IF
      END

* expect: loop-free
      SUBROUTINE DSYRK5(UPLO, TRANS, N, ALPHA, A, LDA, C, LDC)
      CHARACTER UPLO, TRANS
      INTEGER N, LDA, LDC, I, J, L, INFO
      DOUBLE PRECISION ALPHA, A(LDA,*), C(LDC,*), T
      LOGICAL LSAME, UPPER
      EXTERNAL LSAME, XERBLA
      UPPER = LSAME(UPLO, 'U')
      INFO = 0
      IF (.NOT. UPPER .AND. .NOT. LSAME(UPLO, 'L')) THEN
         INFO = 1
      ELSE IF (.NOT. LSAME(TRANS, 'N') .AND. .NOT. LSAME(TRANS, 'T'))
     $   THEN
         INFO = 2
      END IF
      IF (INFO .NE. 0) THEN
         CALL XERBLA('DSYRK5', INFO)
         RETURN
      END IF
      DO 30 J = 1, N
         DO 20 I = 1, N
            IF (UPPER .AND. I .GT. J .OR. .NOT. UPPER .AND. I .LT. J)
     $         GO TO 20
            T = 0.0D0
            DO 10 L = 1, N
               IF (LSAME(TRANS, 'N')) THEN
                  T = T + A(I,L)*A(J,L)
               ELSE
                  T = T + A(L,I)*A(L,J)
               END IF
   10       CONTINUE
            C(I,J) = C(I,J) + ALPHA*T
   20    CONTINUE
   30 CONTINUE
      END

* expect: loop-free
      SUBROUTINE DLASC5(KIND, M, N, S, A, LDA)
      CHARACTER*(*) KIND
      INTEGER M, N, LDA, I, J
      DOUBLE PRECISION S, A(LDA,*)
      IF (KIND .EQ. 'G') THEN
         DO 10 J = 1, N
            DO 10 I = 1, M
   10          A(I,J) = S*A(I,J)
      ELSE IF (KIND .EQ. 'L' .OR. KIND .EQ. 'l') THEN
         DO 20 J = 1, N
            DO 20 I = J, M
   20          A(I,J) = S*A(I,J)
      END IF
      END

* expect: loop-free
      DOUBLE PRECISION FUNCTION DNORM5(KIND, N, X)
      CHARACTER KIND
      INTEGER N, I
      DOUBLE PRECISION X(*), T
      T = 0.0D0
      SELECT CASE (KIND)
      CASE ('M', 'm')
         DO I = 1, N
            T = MAX(T, ABS(X(I)))
         END DO
      CASE DEFAULT
         DO I = 1, N
            T = T + ABS(X(I))
         END DO
      END SELECT
      DNORM5 = T
      END

* expect: refused TL145
      SUBROUTINE COPY5(NAME, N, X)
      CHARACTER*8 NAME
      INTEGER N, I
      DOUBLE PRECISION X(*)
      IF (NAME .EQ. 'ZERO') THEN
         DO 10 I = 1, N
   10    X(I) = 0.0D0
      END IF
      END

* expect: loop-free
      SUBROUTINE DSYRT5(UPLO, N, ALPHA, X, INCX, Y, INCY, A, LDA)
      CHARACTER UPLO
      INTEGER N, INCX, INCY, LDA, I, J, JX, JY, IX, IY
      DOUBLE PRECISION ALPHA, X(*), Y(*), A(LDA,*), S, T, ZERO
      DATA ZERO/0.0D0/
      LOGICAL LSAME
      IF (INCX .NE. 1 .OR. INCY .NE. 1) THEN
         JX = 1
         JY = 1
         IF (INCX .LE. 0) JX = 1 - (N - 1)*INCX
         IF (INCY .LE. 0) JY = 1 - (N - 1)*INCY
      END IF
      IF (INCX .EQ. 1 .AND. INCY .EQ. 1) THEN
         DO 20 J = 1, N
            IF (X(J) .NE. ZERO .OR. Y(J) .NE. ZERO) THEN
               S = ALPHA*Y(J)
               T = ALPHA*X(J)
               DO 10 I = J, N
                  A(I,J) = A(I,J) + X(I)*S + Y(I)*T
   10          CONTINUE
            END IF
   20    CONTINUE
      ELSE
         DO 40 J = 1, N
            IF (X(JX) .NE. ZERO .OR. Y(JY) .NE. ZERO) THEN
               S = ALPHA*Y(JY)
               T = ALPHA*X(JX)
               IX = JX
               IY = JY
               DO 30 I = J, N
                  A(I,J) = A(I,J) + X(IX)*S + Y(IY)*T
                  IX = IX + INCX
                  IY = IY + INCY
   30          CONTINUE
            END IF
            JX = JX + INCX
            JY = JY + INCY
   40    CONTINUE
      END IF
      END

* expect: loop-free
      SUBROUTINE DGEMM5(TRANSA, TRANSB, M, N, K, ALPHA, A, LDA, B, LDB,
     $                  BETA, C, LDC)
      CHARACTER TRANSA, TRANSB
      INTEGER M, N, K, LDA, LDB, LDC, I, J, L, NROWA, NROWB, INFO
      DOUBLE PRECISION ALPHA, BETA, A(LDA,*), B(LDB,*), C(LDC,*), T
      LOGICAL LSAME, NOTA, NOTB
      EXTERNAL LSAME, XERBLA
      NOTA = LSAME(TRANSA, 'N')
      NOTB = LSAME(TRANSB, 'N')
      NROWA = K
      NROWB = N
      IF (NOTA) NROWA = M
      IF (NOTB) NROWB = K
      INFO = 0
      IF (.NOT. NOTA .AND. .NOT. LSAME(TRANSA, 'C') .AND.
     $    .NOT. LSAME(TRANSA, 'T')) THEN
         INFO = 1
      ELSE IF (.NOT. NOTB .AND. .NOT. LSAME(TRANSB, 'C') .AND.
     $         .NOT. LSAME(TRANSB, 'T')) THEN
         INFO = 2
      ELSE IF (M .LT. 0 .OR. N .LT. 0 .OR. K .LT. 0) THEN
         INFO = 3
      ELSE IF (LDA .LT. MAX(1, NROWA)) THEN
         INFO = 8
      ELSE IF (LDB .LT. MAX(1, NROWB)) THEN
         INFO = 10
      ELSE IF (LDC .LT. MAX(1, M)) THEN
         INFO = 13
      END IF
      IF (INFO .NE. 0) THEN
         CALL XERBLA('DGEMM5', INFO)
         RETURN
      END IF
      DO 30 J = 1, N
         DO 20 I = 1, M
            T = 0.0D0
            DO 10 L = 1, K
               IF (NOTA .AND. NOTB) THEN
                  T = T + A(I,L)*B(L,J)
               ELSE IF (NOTA) THEN
                  T = T + A(I,L)*B(J,L)
               ELSE IF (NOTB) THEN
                  T = T + A(L,I)*B(L,J)
               ELSE
                  T = T + A(L,I)*B(J,L)
               END IF
   10       CONTINUE
            C(I,J) = ALPHA*T + BETA*C(I,J)
   20    CONTINUE
   30 CONTINUE
      END
