//! The command `bulkdoku`.

mod cli;

fn main() -> cli::Exit {
    let ran = cli::parse().and_then(cli::run);
    let exit = ran.unwrap_or_else(|failure| {
        failure.print();
        failure.exit()
    });
    cli::log_end(exit);
    exit
}
