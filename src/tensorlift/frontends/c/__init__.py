"""The C front end: libclang, what functions take and give, and their loops as they are written."""
