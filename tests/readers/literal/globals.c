// A variable at file scope is memory; a constant one keeps its values.
static const short table[2][2] = {{1, 2}, {3}};
int total;
void f(int i) {
    total += table[i][1];
}

// MLIR
// "memref.global"() <{sym_name = "table", sym_visibility = "private", type = memref<4xi16>, initial_value = dense<[1, 2, 3, 0]> : tensor<4xi16>, constant}> {tl.extents = array<i64: 2, 2>} : () -> ()
// "memref.global"() <{sym_name = "total", sym_visibility = "public", type = memref<1xi32>, initial_value}> : () -> ()
// func.func @f(%i: i32 {tl.name = "i"}) {
//   %0 = memref.get_global @table : memref<4xi16>
//   %1 = "memref.cast"(%0) : (memref<4xi16>) -> memref<?xi16>
//   %2 = arith.constant 0 : i64
//   %3 = arith.extsi %i : i32 to i64
//   %4 = arith.constant 2 : i64
//   %5 = arith.muli %3, %4 overflow<nsw> : i64
//   %6 = arith.addi %2, %5 overflow<nsw> : i64
//   %7 = arith.constant 1 : i32
//   %8 = arith.extsi %7 : i32 to i64
//   %9 = arith.addi %6, %8 overflow<nsw> : i64
//   %10 = arith.index_cast %9 : i64 to index
//   %11 = memref.load %1[%10] : memref<?xi16>
//   %12 = arith.extsi %11 : i16 to i32
//   %13 = memref.get_global @total : memref<1xi32>
//   %14 = "memref.cast"(%13) : (memref<1xi32>) -> memref<?xi32>
//   %15 = arith.constant 0 : i64
//   %16 = arith.index_cast %15 : i64 to index
//   %17 = memref.load %14[%16] : memref<?xi32>
//   %18 = arith.addi %17, %12 overflow<nsw> : i32
//   %19 = arith.index_cast %15 : i64 to index
//   memref.store %18, %14[%19] : memref<?xi32>
//   func.return
// }
