"""Remember what a compile said of a workspace, so that one in which nothing has changed is answered without compiling."""
