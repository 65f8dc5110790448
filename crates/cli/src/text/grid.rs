//! Tables that fit the terminal.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

use super::{BOLD, DIM, styled};
use crate::presentation::Presentation;

/// A column of a [`TextTable`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<'a> {
    title: &'a str,
    right: bool,
    /// Columns with the lowest ranks get room first; those with 0 are always there.
    rank: u8,
}

impl<'a> Column<'a> {
    /// A column that is always there, aligned to the left.
    pub(crate) const fn new(title: &'a str) -> Self {
        Self { title, right: false, rank: 0 }
    }

    /// The same, aligned to the right.
    pub(crate) const fn right(self) -> Self {
        Self { right: true, ..self }
    }

    /// The same, left out where columns with lower ranks leave no room for it.
    pub(crate) const fn rank(self, rank: u8) -> Self {
        Self { rank, ..self }
    }
}

/// A table whose least important columns are left out where the terminal is too narrow for all.
pub(crate) struct TextTable<'a, const N: usize> {
    columns: [Column<'a>; N],
    rows: Vec<[String; N]>,
    headed: bool,
}

/// The indentation of a table.
const INDENT: &str = "  ";

impl<'a, const N: usize> TextTable<'a, N> {
    pub(crate) const fn new(columns: [Column<'a>; N]) -> Self {
        Self { columns, rows: Vec::new(), headed: true }
    }

    /// Without a line of titles.
    pub(crate) fn without_titles(self) -> Self {
        Self { headed: false, ..self }
    }

    pub(crate) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells);
    }

    /// The width of a column with the space around it.
    fn width(&self, index: usize) -> usize {
        let title = if self.headed { self.columns[index].title.chars().count() } else { 0 };
        self.rows.iter().map(|cells| visible(&cells[index])).fold(title, usize::max) + 2
    }

    /// The columns for which there is room.
    fn fitting(&self, room: Option<usize>) -> Vec<usize> {
        // A column without a single entry says nothing.
        let empty = |index: &usize| !self.rows.is_empty() && self.rows.iter().all(|cells| cells[*index].is_empty());
        let mut wanted: Vec<usize> = (0..N).filter(|index| !empty(index)).collect();
        let Some(room) = room else { return wanted };
        wanted.sort_by_key(|&index| self.columns[index].rank);
        // The space after the last column is not printed.
        let (mut chosen, mut left) = (Vec::new(), (room + 1).saturating_sub(INDENT.len()));
        for index in wanted {
            let width = self.width(index);
            if self.columns[index].rank == 0 || width <= left {
                chosen.push(index);
                left = left.saturating_sub(width);
            }
        }
        chosen.sort_unstable();
        chosen
    }

    /// Whether there is room for the column of this title.
    pub(crate) fn shows(&self, title: &str) -> bool {
        let chosen = self.fitting(Presentation::settled().table_width());
        chosen.into_iter().any(|index| self.columns[index].title == title)
    }

    /// Writes it, and says what was left out.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let presentation = Presentation::settled();
        let chosen = self.fitting(presentation.table_width());
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        if self.headed {
            table.set_header(chosen.iter().map(|&index| styled(BOLD, self.columns[index].title)));
        }
        for cells in &self.rows {
            table.add_row(chosen.iter().map(|&index| &cells[index]));
        }
        for (position, &index) in chosen.iter().enumerate() {
            if let Some(column) = table.column_mut(position).filter(|_| self.columns[index].right) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.lines() {
            writeln!(out, "{INDENT}{}", line.trim_end())?;
        }
        let all = self.fitting(None);
        let left_out = all.iter().filter(|index| !chosen.contains(index)).map(|&index| self.columns[index].title);
        let left_out: Vec<_> = left_out.filter(|title| !title.is_empty()).collect();
        if left_out.is_empty() || presentation.quiet {
            return Ok(());
        }
        writeln!(out, "{INDENT} {}", styled(DIM, format!("not shown: {} (--wide)", left_out.join(", "))))
    }
}

/// The number of visible characters, without escape sequences.
pub(super) fn visible(text: &str) -> usize {
    anstream::adapter::strip_str(text).map(|part| part.chars().count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> TextTable<'static, 4> {
        let columns = [
            Column::new("name"),
            Column::new("most").right(),
            Column::new("formula").rank(2),
            Column::new("bits").right().rank(1),
        ];
        let mut grid = TextTable::new(columns);
        grid.row(["peterson".to_string(), styled(BOLD, "12"), "2N log N".to_string(), "7".to_string()]);
        grid
    }

    #[test]
    fn columns_are_left_out_by_rank() {
        // By hand: 2 to begin with, then 8 + 2, 4 + 2, 8 + 2 and 4 + 2, the last of which is not printed.
        let grid = grid();
        assert_eq!(grid.fitting(None), [0, 1, 2, 3]);
        assert_eq!(grid.fitting(Some(33)), [0, 1, 2, 3]);
        assert_eq!(grid.fitting(Some(32)), [0, 1, 3]);
        assert_eq!(grid.fitting(Some(22)), [0, 1], "neither 6 nor 10 more");
        assert_eq!(grid.fitting(Some(5)), [0, 1], "what is always there stays");
    }

    #[test]
    fn a_column_without_entries_is_left_out() {
        let mut grid = TextTable::new([Column::new("name"), Column::new("mean")]);
        grid.row(["lelann".to_string(), String::new()]);
        assert_eq!(grid.fitting(None), [0]);
    }
}
