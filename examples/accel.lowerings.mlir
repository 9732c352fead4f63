// What the operations of the matrix engine compute, on memory: a function for each operation and element type.
func.func @accel.matmul$f32(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %acc: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %p = 0 to %k {
        %x = affine.load %a[%i, %p] : memref<?x?xf32>
        %y = affine.load %b[%p, %j] : memref<?x?xf32>
        %sum = affine.load %acc[%i, %j] : memref<?x?xf32>
        %product = arith.mulf %x, %y : f32
        %next = arith.addf %sum, %product : f32
        affine.store %next, %acc[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
func.func @accel.bias$f32(%x: memref<?x?xf32>, %b: memref<?xf32>, %result: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %value = affine.load %x[%i, %j] : memref<?x?xf32>
      %shift = affine.load %b[%j] : memref<?xf32>
      %sum = arith.addf %value, %shift : f32
      affine.store %sum, %result[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
func.func @accel.relu$f32(%x: memref<?x?xf32>, %result: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %value = affine.load %x[%i, %j] : memref<?x?xf32>
      %positive = arith.maximumf %value, %zero : f32
      affine.store %positive, %result[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
func.func @accel.scale$f32(%x: memref<?x?xf32>, %factor: f32, %result: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %value = affine.load %x[%i, %j] : memref<?x?xf32>
      %scaled = arith.mulf %value, %factor : f32
      affine.store %scaled, %result[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
func.func @accel.conv2d$f32(%image: memref<?x?x?x?xf32>, %kernel: memref<?x?x?x?xf32>, %acc: memref<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %batches = memref.dim %acc, %c0 : memref<?x?x?x?xf32>
  %rows = memref.dim %acc, %c1 : memref<?x?x?x?xf32>
  %columns = memref.dim %acc, %c2 : memref<?x?x?x?xf32>
  %filters = memref.dim %acc, %c3 : memref<?x?x?x?xf32>
  %height = memref.dim %kernel, %c0 : memref<?x?x?x?xf32>
  %width = memref.dim %kernel, %c1 : memref<?x?x?x?xf32>
  %channels = memref.dim %kernel, %c2 : memref<?x?x?x?xf32>
  affine.for %n = 0 to %batches {
    affine.for %y = 0 to %rows {
      affine.for %x = 0 to %columns {
        affine.for %f = 0 to %filters {
          affine.for %p = 0 to %height {
            affine.for %q = 0 to %width {
              affine.for %c = 0 to %channels {
                %pixel = affine.load %image[%n, %y + %p, %x + %q, %c] : memref<?x?x?x?xf32>
                %weight = affine.load %kernel[%p, %q, %c, %f] : memref<?x?x?x?xf32>
                %sum = affine.load %acc[%n, %y, %x, %f] : memref<?x?x?x?xf32>
                %product = arith.mulf %pixel, %weight : f32
                %next = arith.addf %sum, %product : f32
                affine.store %next, %acc[%n, %y, %x, %f] : memref<?x?x?x?xf32>
              }
            }
          }
        }
      }
    }
  }
  return
}
func.func @accel.matmul$f64(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %acc: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf64>
  %k = memref.dim %a, %c1 : memref<?x?xf64>
  %n = memref.dim %b, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %p = 0 to %k {
        %x = affine.load %a[%i, %p] : memref<?x?xf64>
        %y = affine.load %b[%p, %j] : memref<?x?xf64>
        %sum = affine.load %acc[%i, %j] : memref<?x?xf64>
        %product = arith.mulf %x, %y : f64
        %next = arith.addf %sum, %product : f64
        affine.store %next, %acc[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
func.func @accel.bias$f64(%x: memref<?x?xf64>, %b: memref<?xf64>, %result: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf64>
  %n = memref.dim %x, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %value = affine.load %x[%i, %j] : memref<?x?xf64>
      %shift = affine.load %b[%j] : memref<?xf64>
      %sum = arith.addf %value, %shift : f64
      affine.store %sum, %result[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
func.func @accel.relu$f64(%x: memref<?x?xf64>, %result: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %x, %c0 : memref<?x?xf64>
  %n = memref.dim %x, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %value = affine.load %x[%i, %j] : memref<?x?xf64>
      %positive = arith.maximumf %value, %zero : f64
      affine.store %positive, %result[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
func.func @accel.scale$f64(%x: memref<?x?xf64>, %factor: f64, %result: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf64>
  %n = memref.dim %x, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %value = affine.load %x[%i, %j] : memref<?x?xf64>
      %scaled = arith.mulf %value, %factor : f64
      affine.store %scaled, %result[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
func.func @accel.conv2d$f64(%image: memref<?x?x?x?xf64>, %kernel: memref<?x?x?x?xf64>, %acc: memref<?x?x?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %batches = memref.dim %acc, %c0 : memref<?x?x?x?xf64>
  %rows = memref.dim %acc, %c1 : memref<?x?x?x?xf64>
  %columns = memref.dim %acc, %c2 : memref<?x?x?x?xf64>
  %filters = memref.dim %acc, %c3 : memref<?x?x?x?xf64>
  %height = memref.dim %kernel, %c0 : memref<?x?x?x?xf64>
  %width = memref.dim %kernel, %c1 : memref<?x?x?x?xf64>
  %channels = memref.dim %kernel, %c2 : memref<?x?x?x?xf64>
  affine.for %n = 0 to %batches {
    affine.for %y = 0 to %rows {
      affine.for %x = 0 to %columns {
        affine.for %f = 0 to %filters {
          affine.for %p = 0 to %height {
            affine.for %q = 0 to %width {
              affine.for %c = 0 to %channels {
                %pixel = affine.load %image[%n, %y + %p, %x + %q, %c] : memref<?x?x?x?xf64>
                %weight = affine.load %kernel[%p, %q, %c, %f] : memref<?x?x?x?xf64>
                %sum = affine.load %acc[%n, %y, %x, %f] : memref<?x?x?x?xf64>
                %product = arith.mulf %pixel, %weight : f64
                %next = arith.addf %sum, %product : f64
                affine.store %next, %acc[%n, %y, %x, %f] : memref<?x?x?x?xf64>
              }
            }
          }
        }
      }
    }
  }
  return
}
