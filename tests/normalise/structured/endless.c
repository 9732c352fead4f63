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
//     %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
//     %1 = "arith.cmpi"(%n_2, %0) <{predicate = 1 : i64}> : (i32, i32) -> i1
//     "scf.condition"(%1, %n_2) : (i1, i32) -> ()
//   }, {
//   ^bb0(%n_3: i32):
//     %2 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//     %3 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//     %n_4 = "arith.subi"(%n_3, %3) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//     %4 = "arith.extsi"(%n_4) : (i32) -> i64
//     %5 = "arith.addi"(%a_at, %4) <{overflowFlags = #arith.overflow<nsw>}> : (i64, i64) -> i64
//     %6 = "arith.index_cast"(%5) : (i64) -> index
//     "memref.store"(%2, %a, %6) : (i32, memref<?xi32>, index) -> ()
//     "scf.yield"(%n_4) : (i32) -> ()
//   }) {tl.jump = {code = "TL114", message = "`return` leaves the loop early", remedy = "assign the result to a variable, and return it after the loop", loc = "f.c:5:13"}} : (i32) -> i32
//   func.return
