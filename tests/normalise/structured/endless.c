// A condition that always holds is none.
void f(int n, int *a) {
    while (1) {
        if (n == 0)
            return;
        a[--n] = 1;
    }
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %n_1 = "scf.while"(%n) ({
//   ^bb0(%n_2: i32):
//     %0 = arith.constant 0 : i32
//     %1 = arith.cmpi ne, %n_2, %0 : i32
//     scf.condition(%1) %n_2 : i32
//   }, {
//   ^bb0(%n_3: i32):
//     %2 = arith.constant 1 : i32
//     %3 = arith.constant 1 : i32
//     %n_4 = arith.subi %n_3, %3 overflow<nsw> : i32
//     %4 = arith.extsi %n_4 : i32 to i64
//     %5 = arith.addi %a_at, %4 overflow<nsw> : i64
//     %6 = arith.index_cast %5 : i64 to index
//     memref.store %2, %a[%6] : memref<?xi32>
//     scf.yield %n_4 : i32
//   }) {tl.jump = {code = "TL114", message = "`return` leaves the loop early", remedy = "assign the result to a variable, and return it after the loop", loc = "f.c:5:13"}} : (i32) -> i32
//   func.return
