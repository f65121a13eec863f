// Errors of the library as Python exceptions.
#pragma once

namespace halftone {

// From then on, a halftone::Error that leaves a function of the module becomes the exception of
// halftone/errors.py for its kind, with the same sentence in the words of Python.
void RegisterErrors();

}  // namespace halftone
