# The release checklist (docs/releasing.md) replaces URL and SHA256.
class Bulkdoku < Formula
  desc "Batch engine for sudoku: millions of puzzle lines in, one row for each out"
  homepage "URL"
  url "URL/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "SHA256"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args, "--features", "full"
    generate_completions_from_executable(bin/"bulkdoku", "completions")
  end

  test do
    puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    solution = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
    assert_equal solution, shell_output("#{bin}/bulkdoku solve -q --format lines #{puzzle}").strip
  end
end
