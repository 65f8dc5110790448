//! The sources: the one place that knows them as data. BIBLIOGRAPHY.md has the same, as a test makes sure.
//!
//! ```
//! use ringleader::bibliography::source;
//!
//! let paper = source("ChangRoberts1979").unwrap();
//! assert!(paper.to_string().ends_with("Communications of the ACM 22 (1979) 281-283"));
//! assert!(paper.bibtex().starts_with("@article{ChangRoberts1979,"));
//! ```

use std::fmt;

use crate::about::about;
use crate::catalogue::{Catalogue, UnknownProtocol};

/// A source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its key: what bounds and protocols cite.
    pub key: &'static str,
    /// Its authors; braces hold together a name of several words.
    pub authors: &'static [&'static str],
    /// Its title.
    pub title: &'static str,
    /// Where it was published.
    pub venue: Venue,
}

/// Where a source was published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Venue {
    /// A journal: name, volume, year, pages.
    Journal(&'static str, u32, u32, &'static str),
    /// Proceedings, or a collection: all but the name and the year may be empty.
    Volume {
        /// The editor.
        editor: &'static str,
        /// The name of the volume.
        name: &'static str,
        /// The series.
        series: &'static str,
        /// The publisher.
        publisher: &'static str,
        /// The year.
        year: u32,
        /// The pages.
        pages: &'static str,
    },
    /// A report: number, institution, month, year.
    Report(&'static str, &'static str, &'static str, u32),
    /// A thesis: school, year.
    Thesis(&'static str, u32),
    /// A book: publisher, year.
    Book(&'static str, u32),
    /// A lecture: course, years.
    Lecture(&'static str, &'static str),
}

/// The source of a key.
pub fn source(key: &str) -> Option<&'static Source> {
    SOURCES.iter().find(|source| source.key == key)
}

/// The key that a citation begins with: `SpirakisTampakas1989 2.2.4` has one.
pub fn key_of(citation: &str) -> &str {
    citation.split([' ', ',', ';']).next().unwrap_or_default()
}

/// The keys of the sources of a protocol: its papers, then those that its bounds cite.
pub fn keys(catalogue: &Catalogue, protocol: &str) -> Result<Vec<&'static str>, UnknownProtocol> {
    let about = about(catalogue, protocol)?;
    let mut keys: Vec<&str> = about.sources.to_vec();
    for key in about.bounds.iter().map(|bound| key_of(bound.source)) {
        if !key.is_empty() && !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

/// The entries of these keys in BibTeX; a comment where there is none.
pub fn bibtex(keys: &[&str]) -> String {
    let one = |key: &&str| source(key).map_or_else(|| format!("% {key} is not in the bibliography\n"), Source::bibtex);
    keys.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// The program itself, in BibTeX.
pub fn program_bibtex() -> String {
    let version = env!("CARGO_PKG_VERSION");
    entry(
        "software",
        &format!("Ringleader-{version}"),
        &[
            ("author", format!("{{{PROGRAM_AUTHORS}}}")),
            ("title", format!("{{{PROGRAM_TITLE}}}")),
            ("version", version.to_string()),
            ("note", format!("Computer program, version {version}")),
        ],
    )
}

/// The name of the program.
pub const PROGRAM_TITLE: &str = "Ringleader";
/// Its authors.
pub const PROGRAM_AUTHORS: &str = "The Ringleader developers";

impl fmt::Display for Venue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Journal(name, volume, year, pages) => {
                write!(f, "{name} {volume} ({year}){}{pages}", if pages.is_empty() { "" } else { " " })
            }
            Self::Volume { editor, name, series, publisher, year, pages } => {
                let edited = if editor.is_empty() { String::new() } else { format!("in: {editor} (ed.), ") };
                let year = format!("{publisher} {year}");
                let parts = [&format!("{edited}{name}"), series, year.trim_start(), pages];
                f.write_str(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "))
            }
            Self::Report(number, institution, month, year) => {
                write!(f, "report {number}, {institution}, {month} {year}")
            }
            Self::Thesis(school, year) => write!(f, "thesis, {school}, {year}"),
            Self::Book(publisher, year) => write!(f, "{publisher} {year}"),
            Self::Lecture(course, years) => write!(f, "lecture, {course}, {years}"),
        }
    }
}

impl fmt::Display for Source {
    /// As BIBLIOGRAPHY.md writes it, without emphasis.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.names(), self.title, self.venue)
    }
}

impl Source {
    /// The names of the authors.
    pub fn names(&self) -> String {
        self.authors.join(", ").replace(['{', '}'], "")
    }

    /// The entry in BibTeX.
    pub fn bibtex(&self) -> String {
        let kind = match self.venue {
            Venue::Journal(..) => "article",
            Venue::Volume { editor: "", .. } => "inproceedings",
            Venue::Volume { .. } => "incollection",
            Venue::Report(..) => "techreport",
            Venue::Thesis(..) => "phdthesis",
            Venue::Book(..) => "book",
            Venue::Lecture(..) => "misc",
        };
        let mut fields = vec![("author", self.authors.join(" and ")), ("title", format!("{{{}}}", self.title))];
        fields.extend(self.venue.fields());
        entry(kind, self.key, &fields)
    }
}

impl Venue {
    fn fields(self) -> Vec<(&'static str, String)> {
        let text = |text: &str| text.to_string();
        match self {
            Self::Journal(name, volume, year, pages) => vec![
                ("journal", text(name)),
                ("volume", volume.to_string()),
                ("year", year.to_string()),
                ("pages", text(pages)),
            ],
            Self::Volume { editor, name, series, publisher, year, pages } => vec![
                ("editor", text(editor)),
                ("booktitle", text(name)),
                ("series", text(series)),
                ("publisher", text(publisher)),
                ("year", year.to_string()),
                ("pages", text(pages)),
            ],
            Self::Report(number, institution, month, year) => vec![
                ("institution", text(institution)),
                ("number", text(number)),
                ("month", text(month)),
                ("year", year.to_string()),
            ],
            Self::Thesis(school, year) => vec![("school", text(school)), ("year", year.to_string())],
            Self::Book(publisher, year) => vec![("publisher", text(publisher)), ("year", year.to_string())],
            Self::Lecture(course, years) => vec![("howpublished", format!("Lecture, {course}")), ("year", text(years))],
        }
    }
}

/// An entry in BibTeX; empty fields are left out.
fn entry(kind: &str, key: &str, fields: &[(&str, String)]) -> String {
    let mut text = format!("@{kind}{{{key},\n");
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        let value = match *name {
            "pages" => value.replace('-', "--"),
            _ => tex(value),
        };
        text.push_str(&format!("  {name} = {{{value}}},\n"));
    }
    text + "}\n"
}

/// Text for TeX: accents and signs that every version of BibTeX understands.
fn tex(text: &str) -> String {
    text.replace('á', "{\\'a}").replace('é', "{\\'e}").replace('&', "\\&")
}

const fn journal(name: &'static str, volume: u32, year: u32, pages: &'static str) -> Venue {
    Venue::Journal(name, volume, year, pages)
}

const fn volume(
    name: &'static str,
    series: &'static str,
    publisher: &'static str,
    year: u32,
    pages: &'static str,
) -> Venue {
    Venue::Volume { editor: "", name, series, publisher, year, pages }
}

const fn one(key: &'static str, authors: &'static [&'static str], title: &'static str, venue: Venue) -> Source {
    Source { key, authors, title, venue }
}

const CACM: &str = "Communications of the ACM";
const JACM: &str = "Journal of the ACM";

/// Every source, in the order of BIBLIOGRAPHY.md.
pub const SOURCES: &[Source] = &[
    one(
        "CourcoubetisYannakakis1995",
        &["C. Courcoubetis", "M. Yannakakis"],
        "The complexity of probabilistic verification",
        journal(JACM, 42, 1995, "857-907"),
    ),
    one(
        "Couvreur1999",
        &["J.-M. Couvreur"],
        "On-the-fly verification of linear temporal logic",
        volume("FM'99", "Lecture Notes in Computer Science 1708", "Springer", 1999, "253-271"),
    ),
    one(
        "GerthPeledVardiWolper1995",
        &["R. Gerth", "D. Peled", "M.Y. Vardi", "P. Wolper"],
        "Simple on-the-fly automatic verification of linear temporal logic",
        volume("Protocol Specification, Testing and Verification XV", "", "Chapman & Hall", 1995, "3-18"),
    ),
    one(
        "BartlettScantleburyWilkinson1969",
        &["K.A. Bartlett", "R.A. Scantlebury", "P.T. Wilkinson"],
        "A note on reliable full-duplex transmission over half-duplex links",
        journal(CACM, 12, 1969, "260-261"),
    ),
    one(
        "LeLann1977",
        &["G. {Le Lann}"],
        "Distributed systems: towards a formal approach",
        volume("Information Processing 77, IFIP Congress", "", "North-Holland", 1977, "155-160"),
    ),
    one(
        "ChangRoberts1979",
        &["E. Chang", "R. Roberts"],
        "An improved algorithm for decentralized extrema-finding in circular configurations of processes",
        journal(CACM, 22, 1979, "281-283"),
    ),
    one(
        "Peterson1982",
        &["G.L. Peterson"],
        "An O(n log n) unidirectional algorithm for the circular extrema problem",
        journal("ACM Transactions on Programming Languages and Systems", 4, 1982, "758-762"),
    ),
    one(
        "DolevKlaweRodeh1982",
        &["D. Dolev", "M. Klawe", "M. Rodeh"],
        "An O(n log n) unidirectional distributed algorithm for extrema finding in a circle",
        journal("Journal of Algorithms", 3, 1982, "245-260"),
    ),
    one(
        "Vitanyi1984",
        &["P.M.B. Vitányi"],
        "Distributed elections in an Archimedean ring of processors",
        volume("16th ACM Symposium on Theory of Computing", "", "", 1984, ""),
    ),
    one(
        "Epema2013",
        &["D.H.J. Epema"],
        "Election",
        Venue::Lecture("course IN4150 Distributed Algorithms", "2013-2014"),
    ),
    one(
        "AfekGafni1991",
        &["Y. Afek", "E. Gafni"],
        "Time and message bounds for election in synchronous and asynchronous complete networks",
        journal("SIAM Journal on Computing", 20, 1991, "376-394"),
    ),
    one(
        "FredericksonLynch1987",
        &["G.N. Frederickson", "N.A. Lynch"],
        "Electing a leader in a synchronous ring",
        journal(JACM, 34, 1987, "98-115"),
    ),
    one(
        "Angluin1980",
        &["D. Angluin"],
        "Local and global properties in networks of processors",
        volume("12th ACM Symposium on Theory of Computing", "", "", 1980, "82-93"),
    ),
    one(
        "AlimontiFlocchiniSantoro1996",
        &["P. Alimonti", "P. Flocchini", "N. Santoro"],
        "Finding the extrema of a distributed multiset",
        journal("Journal of Parallel and Distributed Computing", 37, 1996, "123-133"),
    ),
    one(
        "FredericksonSantoro1986",
        &["G. Frederickson", "N. Santoro"],
        "Breaking symmetry in synchronous networks",
        volume(
            "VLSI Algorithms and Architectures, AWOC 1986",
            "Lecture Notes in Computer Science 227",
            "Springer",
            1986,
            "26-33",
        ),
    ),
    one(
        "SantoroKorachRotem1982",
        &["N. Santoro", "E. Korach", "D. Rotem"],
        "Decentralized extrema-finding in circular configurations of processors: an improved algorithm",
        journal("Congressus Numerantium", 34, 1982, "401-412"),
    ),
    one(
        "ItaiRodeh1981",
        &["A. Itai", "M. Rodeh"],
        "Symmetry breaking in distributive networks",
        volume("22nd IEEE Symposium on Foundations of Computer Science", "", "", 1981, "150-158"),
    ),
    one(
        "ItaiRodeh1990",
        &["A. Itai", "M. Rodeh"],
        "Symmetry breaking in distributed networks",
        journal("Information and Computation", 88, 1990, "60-87"),
    ),
    one(
        "FokkinkPang2006",
        &["W. Fokkink", "J. Pang"],
        "Variations on Itai-Rodeh leader election for anonymous rings and their analysis in PRISM",
        journal("Journal of Universal Computer Science", 12, 2006, "981-1006"),
    ),
    one(
        "LavaultLouchard2006",
        &["C. Lavault", "G. Louchard"],
        "Asymptotic analysis of a leader election algorithm",
        journal("Theoretical Computer Science", 359, 2006, "239-254"),
    ),
    one(
        "HirschbergSinclair1980",
        &["D.S. Hirschberg", "J.B. Sinclair"],
        "Decentralized extrema-finding in circular configurations of processors",
        journal(CACM, 23, 1980, "627-628"),
    ),
    one(
        "Franklin1982",
        &["W.R. Franklin"],
        "On an improved algorithm for decentralized extrema finding in circular configurations of processors",
        journal(CACM, 25, 1982, "336-337"),
    ),
    one(
        "VanLeeuwenTan1985",
        &["J. van Leeuwen", "R.B. Tan"],
        "An improved upperbound for distributed election in bidirectional rings of processors",
        Venue::Report("RUU-CS-85-23", "University of Utrecht", "August", 1985),
    ),
    one(
        "SpirakisTampakas1989",
        &["P. Spirakis", "B. Tampakas"],
        "Efficient distributed algorithms by using the Archimedean time assumption",
        journal("Informatique théorique et applications", 23, 1989, "113-128"),
    ),
    one("Lamport1977", &["L. Lamport"], "Concurrent reading and writing", journal(CACM, 20, 1977, "806-811")),
    one(
        "RicartAgrawala1981",
        &["G. Ricart", "A.K. Agrawala"],
        "An optimal algorithm for mutual exclusion in computer networks",
        journal(CACM, 24, 1981, "9-17"),
    ),
    one(
        "HenzingerMannaPnueli1992",
        &["T.A. Henzinger", "Z. Manna", "A. Pnueli"],
        "What good are digital clocks?",
        volume(
            "19th International Colloquium on Automata, Languages and Programming",
            "Lecture Notes in Computer Science 623",
            "Springer",
            1992,
            "545-558",
        ),
    ),
    one(
        "Tarjan1972",
        &["R. Tarjan"],
        "Depth-first search and linear graph algorithms",
        journal("SIAM Journal on Computing", 1, 1972, "146-160"),
    ),
    one(
        "DeAlfaro1997",
        &["L. de Alfaro"],
        "Formal verification of probabilistic systems",
        Venue::Thesis("Stanford University", 1997),
    ),
    one(
        "Peled1994",
        &["D. Peled"],
        "Combining partial order reductions with on-the-fly model-checking",
        volume(
            "6th International Conference on Computer Aided Verification",
            "Lecture Notes in Computer Science 818",
            "Springer",
            1994,
            "377-390",
        ),
    ),
    one("Howard1960", &["R.A. Howard"], "Dynamic programming and Markov processes", Venue::Book("MIT Press", 1960)),
    one(
        "LarsenSkou1991",
        &["K.G. Larsen", "A. Skou"],
        "Bisimulation through probabilistic testing",
        journal("Information and Computation", 94, 1991, "1-28"),
    ),
    one(
        "KnuthYao1976",
        &["D.E. Knuth", "A.C. Yao"],
        "The complexity of nonuniform random number generation",
        Venue::Volume {
            editor: "J.F. Traub",
            name: "Algorithms and complexity",
            series: "",
            publisher: "Academic Press",
            year: 1976,
            pages: "357-428",
        },
    ),
    one(
        "Steele2014",
        &["G.L. Steele", "D. Lea", "C.H. Flood"],
        "Fast splittable pseudorandom number generators",
        volume("OOPSLA", "", "", 2014, ""),
    ),
    one(
        "Kahn1974",
        &["G. Kahn"],
        "The semantics of a simple language for parallel programming",
        volume("Information Processing 74, IFIP Congress", "", "North-Holland", 1974, "471-475"),
    ),
    one(
        "ChandyMisra1979",
        &["K.M. Chandy", "J. Misra"],
        "Distributed simulation: a case study in design and verification of distributed programs",
        journal("IEEE Transactions on Software Engineering", 5, 1979, "440-452"),
    ),
    one(
        "BlackmanVigna2021",
        &["D. Blackman", "S. Vigna"],
        "Scrambled linear pseudorandom number generators",
        journal("ACM Transactions on Mathematical Software", 47, 2021, ""),
    ),
];
