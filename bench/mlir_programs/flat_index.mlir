// A subscript computed with index arithmetic: every row of 16 elements, transposed.
func.func @transpose(%src: memref<?xf64>, %dst: memref<16x?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %row = arith.muli %i, %c16 : index
      %at = arith.addi %row, %j : index
      %v = memref.load %src[%at] : memref<?xf64>
      memref.store %v, %dst[%j, %i] : memref<16x?xf64>
    }
  }
  return
}
