// Placeholder translation unit until the first source of this folder lands.
