// Whole arrays and parts of them are copied.
func.func @shift(%src: memref<?xf64>, %dst: memref<?xf64>, %n: index) {
  %part = memref.subview %src[1] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1], offset: 1>>
  %whole = memref.cast %dst : memref<?xf64> to memref<?xf64, strided<[1], offset: ?>>
  memref.copy %part, %whole : memref<?xf64, strided<[1], offset: 1>> to memref<?xf64, strided<[1], offset: ?>>
  return
}
