/* Character classes. */
#ifndef TENSORLIFT_CTYPE_H
#define TENSORLIFT_CTYPE_H
int isalpha(int), isdigit(int), isalnum(int), isspace(int), isupper(int), islower(int), toupper(int), tolower(int);
#endif
