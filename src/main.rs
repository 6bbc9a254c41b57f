//! The command `bulkdoku`: arguments to [`cli::run`] to exit status.

mod cli;

fn main() -> cli::Exit {
    cli::run(cli::parse()).unwrap_or_else(|failure| {
        failure.say();
        failure.exit()
    })
}
