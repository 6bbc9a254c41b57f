//! The command `bulkdoku`: arguments to [`cli::run`] to exit status.

mod cli;

fn main() -> cli::Exit {
    let ran = cli::check_memory().and_then(|()| cli::run(cli::parse()));
    ran.unwrap_or_else(|failure| {
        failure.say();
        failure.exit()
    })
}
