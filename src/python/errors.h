// Errors of the library as Python exceptions.
#pragma once

namespace halftone {

// Registers the translation of halftone::Error: an Error that leaves a function of the module
// becomes the exception in halftone/errors.py for its kind, with the same sentence in the words of
// Python.
void RegisterErrors();

}  // namespace halftone
