"""The C++ front end: C++ source text to the loop IR, through libclang and the syntax tree of the C front end."""
