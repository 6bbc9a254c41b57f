//! The command `bulkdoku`.

mod cli;

fn main() -> cli::Exit {
    cli::parse().and_then(cli::run).unwrap_or_else(|failure| {
        failure.print();
        failure.exit()
    })
}
