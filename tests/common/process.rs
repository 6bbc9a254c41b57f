//! Runs that a shell starts, and runs that a signal ends.

use std::io::Write;
use std::process::{Child, Command, Stdio};

pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};

use super::command::{BULKDOKU, Folder, Ran, wait_until};

pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

impl Folder {
    /// Runs a script with the command as `$0`.
    pub fn shell(&self, script: &str) -> Ran {
        let mut command = Command::new("sh");
        command.args(["-c", script, BULKDOKU]).current_dir(self.path(".")).stdin(Stdio::null());
        command.output().unwrap().into()
    }

    /// Runs a line of words with a limit on the size of files, in blocks of 512 bytes.
    pub fn on_a_full_disk(&self, blocks: u64, line: &str) -> Ran {
        self.shell(&format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {line}"))
    }

    /// Starts a run, and ends it by a signal once a condition is met. Its standard input begins with
    /// `input` and stays open.
    pub fn stopped(
        &self,
        line: &str,
        input: impl AsRef<[u8]>,
        which: Signal,
        holds: impl Fn(&Child) -> bool,
    ) -> Ran {
        let mut child = self.start(line);
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(input.as_ref()).unwrap();
        wait_until(|| holds(&child));
        signal(&child, which);
        let ran = child.wait_with_output().unwrap().into();
        drop(pipe);
        ran
    }
}
