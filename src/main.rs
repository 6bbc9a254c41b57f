//! The command `bulkdoku`.

mod cli;

fn main() -> cli::Exit {
    let ran = cli::check_memory().and_then(|()| cli::parse()).and_then(cli::run);
    let exit = ran.unwrap_or_else(|failure| {
        failure.print();
        failure.exit()
    });
    cli::log_end(exit);
    exit
}
