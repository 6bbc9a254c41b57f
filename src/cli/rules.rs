//! Which options need or exclude others: one table for all subcommands. The help of an option states its
//! rules.

use clap::Command;

use super::Failure;
use super::typed::Typed;

/// A rule about an option. It applies where the subcommand has the option and one of the others.
struct Rule {
    option: &'static str,
    relation: Relation,
    others: &'static [&'static str],
    /// The only subcommand to which it applies, if it is not all.
    only: Option<&'static str>,
    why: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// It has no effect without at least one of the others.
    Needs,
    /// It cannot be combined with any of the others.
    Excludes,
    /// It has no effect at all.
    Never,
}

const fn needs(option: &'static str, others: &'static [&'static str], why: &'static str) -> Rule {
    Rule { option, relation: Relation::Needs, others, only: None, why }
}

const fn excludes(
    option: &'static str,
    others: &'static [&'static str],
    why: &'static str,
) -> Rule {
    Rule { option, relation: Relation::Excludes, others, only: None, why }
}

const fn never(option: &'static str, only: &'static str, why: &'static str) -> Rule {
    Rule { option, relation: Relation::Never, others: &[], only: Some(only), why }
}

impl Rule {
    const fn only(self, subcommand: &'static str) -> Self {
        Self { only: Some(subcommand), ..self }
    }
}

const RULES: &[Rule] = &[
    // Outputs.
    needs("--resume", &["--output", "--output-dir"], "which it continues"),
    excludes("--resume", &["--force"], "which starts over"),
    needs("--resume", &["--seed"], "which the earlier run has printed").only("generate"),
    needs("--layout", &["--output"], "which names the files"),
    needs("--subset", &["--layout"], ""),
    excludes("--layout", &["--format", "--columns"], "which it determines"),
    excludes("--layout", &["--split-by"], "which names other files"),
    needs("--split-by", &["--output"], "such as 'DIR/{}.csv'"),
    excludes("--sort", &["--split-by"], ""),
    excludes("--sort", &["--resume"], "because sorted rows are written at the end"),
    excludes("--output-dir", &["--output"], ""),
    excludes("--output-dir", &["--sort"], "which writes one output"),
    never("--errors", "generate", "no record is read"),
    never("--fail-on", "generate", "no record is read"),
    never("--latency", "overlap", "no engine is measured"),
    never("--latency", "split", "no engine is measured"),
    never("--latency", "sample", "no engine is measured"),
    never("--latency", "augment", "no engine is used"),
    // Comparing records.
    never("--near", "split", "a part must have all records of a class"),
    excludes("--near", &["--by"], ""),
    needs("--by", &["--against", "--dedup"], "to compare puzzles"),
    needs("--near", &["--against", "--dedup"], "to compare puzzles"),
    excludes(
        "--near",
        &["--dedup"],
        "because of three puzzles, the first and the last may differ by more clues than each from the \
         second",
    ),
    needs("--memory", &["--against"], ""),
    excludes("--count", &["--per"], "which has the number of each stratum").only("sample"),
    // Searches.
    excludes("--first", &["--limit"], ""),
    excludes("--first", &["--max-nodes", "--engine", "--simd"], "because no engine is used")
        .only("check"),
    excludes("--solutions", &["--first"], "which ends at one solution").only("solve"),
    excludes(
        "--solutions",
        &["--against", "--layout", "--sort", "--where", "--split-by"],
        "which needs a single row for each record",
    )
    .only("solve"),
    // Measuring.
    needs("--fail-above", &["--baseline"], ""),
    needs("--answers", &["--solver"], ""),
    needs("--count-line", &["--solver"], ""),
    needs("--interactive", &["--solver"], ""),
    needs("--timeout", &["--solver"], "").only("bench"),
    excludes("--count-line", &["--interactive"], "which writes one line at a time"),
    excludes("--no-permute", &["--seed"], ""),
    // Drawing.
    excludes("--hint", &["--stage", "--upto", "--trace", "--candidates"], "").only("show"),
    excludes("--candidates", &["--trace"], "").only("show"),
    excludes(
        "--format",
        &["--stage", "--upto", "--hint", "--trace", "--candidates", "--names"],
        "which pages do not have",
    )
    .only("show"),
    excludes(
        "--peers",
        &["--stage", "--upto", "--hint", "--trace", "--candidates", "--format"],
        "which draws a puzzle",
    ),
    excludes(
        "--units",
        &["--stage", "--upto", "--hint", "--trace", "--candidates", "--format"],
        "which draws a puzzle",
    ),
];

impl Rule {
    /// Returns whether the rule applies to a subcommand with these options.
    fn applies(&self, subcommand: &str, has: impl Fn(&str) -> bool) -> bool {
        self.only.is_none_or(|only| only == subcommand)
            && has(self.option)
            && (self.relation == Relation::Never || self.others.iter().any(|other| has(other)))
    }

    fn text(&self, other: &str) -> String {
        let verb = match self.relation {
            Relation::Needs => "needs",
            Relation::Excludes => "cannot be combined with",
            Relation::Never => return format!("does nothing: {}", self.why),
        };
        let why = if self.why.is_empty() { String::new() } else { format!(", {}", self.why) };
        format!("{verb} {other}{why}")
    }
}

/// Returns the options of a subcommand.
fn options(subcommand: &Command) -> Vec<String> {
    let long = subcommand.get_arguments().filter_map(clap::Arg::get_long);
    long.map(|long| format!("--{long}")).collect()
}

/// Rejects options as typed that break a rule.
pub fn check(command: &Command, typed: &Typed) -> Result<(), Failure> {
    let Some(subcommand) = command.find_subcommand(&typed.subcommand) else { return Ok(()) };
    let offered = options(subcommand);
    let is_typed = |option: &str| typed.options.contains_key(option);
    let applies = |rule: &&Rule| {
        is_typed(rule.option)
            && rule.applies(&typed.subcommand, |option| offered.iter().any(|one| one == option))
    };
    for rule in RULES.iter().filter(applies) {
        let mut others =
            rule.others.iter().filter(|other| offered.iter().any(|one| one == **other));
        match rule.relation {
            Relation::Needs => {
                let others: Vec<_> = others.copied().collect();
                if !others.iter().any(|other| is_typed(other)) {
                    refuse!("{} {}", rule.option, rule.text(&others.join(" or ")));
                }
            }
            Relation::Never => refuse!("{} {}", rule.option, rule.text("")),
            Relation::Excludes => {
                if let Some(other) = others.find(|other| is_typed(other)) {
                    refuse!("{} {}", rule.option, rule.text(other));
                }
            }
        }
    }
    Ok(())
}

/// Adds its rules to the help of each option of a subcommand.
pub fn documented(subcommand: Command) -> Command {
    let (name, offered) = (subcommand.get_name().to_owned(), options(&subcommand));
    let has = |option: &str| offered.iter().any(|one| one == option);
    subcommand.mut_args(|arg| {
        let option = arg.get_long().map(|long| format!("--{long}")).unwrap_or_default();
        let of_option = |rule: &&Rule| rule.option == option && rule.applies(&name, has);
        let texts = RULES.iter().filter(of_option).map(|rule| {
            let others: Vec<_> = rule.others.iter().copied().filter(|other| has(other)).collect();
            format!("It {}.", rule.text(&others.join(" or ")))
        });
        let texts: Vec<_> = texts.collect();
        if texts.is_empty() {
            return arg;
        }
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
        arg.long_help(format!("{}\n\n{}", help.unwrap_or_default(), texts.join(" ")))
    })
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::*;

    #[test]
    fn rules_are_about_options_that_exist_and_are_stated_in_their_help() {
        let mut command = command();
        command.build();
        for rule in RULES {
            let subcommands = command.get_subcommands().filter(|subcommand| {
                let offered = options(subcommand);
                rule.applies(subcommand.get_name(), |option| {
                    offered.iter().any(|one| one == option)
                })
            });
            let mut count = 0;
            for subcommand in subcommands {
                count += 1;
                let mut options = subcommand.get_arguments();
                let option = options.find(|arg| arg.get_long() == rule.option.strip_prefix("--"));
                let help = option.unwrap().get_long_help().unwrap().to_string();
                assert!(
                    help.contains(rule.why),
                    "{} {}: {help}",
                    subcommand.get_name(),
                    rule.option
                );
            }
            assert!(count > 0, "{} applies nowhere", rule.option);
        }
    }
}
