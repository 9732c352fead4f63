"""The C++ front end: what functions take and give, through libclang and the C front end."""
