//! The flags that say how objects are sent, as Helm names them.

use clap::Args;

use crate::report::Failure;

/// How objects are sent: always by server-side apply. Whatever asks for another way is refused, so that nobody gets one
/// and believes to have the other.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SendingFlags {
    /// Take fields over that others own
    #[arg(long)]
    pub(crate) force_conflicts: bool,

    #[arg(long, visible_alias = "force", hide = true)]
    force_replace: bool,

    #[arg(long, hide = true)]
    disable_openapi_validation: bool,
}

impl SendingFlags {
    /// Refuses what is not offered. `server_side` is what that flag says.
    pub(crate) fn check(&self, server_side: Option<&str>) -> Result<(), Failure> {
        if self.force_replace {
            return Err(Failure::usage("--force-replace is not offered: it would throw away what others have put into the objects")
                .hint("--force-conflicts takes fields over that others own; an object that cannot be changed is deleted by hand first"));
        }
        match server_side {
            None | Some("true" | "auto") => Ok(()),
            Some("false") => Err(Failure::usage(
                "--server-side=false is not offered: objects are always applied on the server's side",
            )
            .hint("leave the flag out; Helm goes on with the release all the same")),
            Some(other) => {
                Err(Failure::usage(format!("invalid/unknown release server-side apply method: {other}"))
                    .hint("it is true or auto"))
            }
        }
    }
}
