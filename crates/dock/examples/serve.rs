//! Serves a dock in memory until it is killed, and prints a kubeconfig: `cargo run -p dock --example serve -- [PORT]`.

use dock::Dock;

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args().nth(1).map_or(Ok(0), |port| port.parse())?;
    let controllers = std::env::var_os("DOCK_WITHOUT_CONTROLLERS").is_none();
    let dock = Dock::builder().controllers(controllers).start().await;
    let serving = dock.serve(port).await?;
    #[expect(clippy::print_stdout, reason = "it is what the example is for")]
    {
        println!("{}", serving.kubeconfig(None));
    }
    std::future::pending().await
}
