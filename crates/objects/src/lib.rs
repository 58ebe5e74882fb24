//! Founded with the workspace.
