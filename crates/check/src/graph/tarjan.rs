//! Strongly connected components by Tarjan's algorithm \[Tarjan1972\].
//!
//! A depth-first search keeps the vertices whose component is not complete yet on a stack. The *low link* of a vertex
//! is the lowest position on that stack which is known to be reachable from it; a vertex that is its own low link is
//! the root of a component, which is everything above it. Components are therefore completed in reverse topological
//! order.

use super::NO_COMPONENT;

/// A vertex on the path of a depth-first search: its position on Tarjan's stack, and its low link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LowLink {
    pub(crate) position: usize,
    low: usize,
}

impl LowLink {
    /// Of a vertex that has just been put on the stack.
    pub(crate) fn new(position: usize) -> Self {
        Self { position, low: position }
    }
}

/// The target of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EdgeTarget {
    /// To a vertex that had not been visited: it is the last on the path now.
    New,
    /// To a vertex at this position of the stack.
    OnStack(usize),
    /// To a vertex whose component is complete.
    Complete,
}

/// A depth-first search that [`run`] drives. It owns path and stack: searches differ in what they keep for a vertex.
pub(crate) trait DepthFirstSearch {
    /// The reason for which a search stops early.
    type Error;

    /// The low link of the last vertex on the path; `None` if the path is empty.
    fn last(&mut self) -> Option<&mut LowLink>;

    /// Follows the next edge of the last vertex on the path; `None` if it has no more.
    fn advance(&mut self) -> Result<Option<EdgeTarget>, Self::Error>;

    /// Takes the last vertex off the path. It stays on the stack: its component is not complete.
    fn backtrack(&mut self) -> Result<(), Self::Error>;

    /// Takes the last vertex off the path, and its component, of which it is the root, off the stack.
    fn complete(&mut self) -> Result<(), Self::Error>;
}

/// Searches from the vertex on the path until the path is empty, completing components in reverse topological order.
#[inline]
pub(crate) fn run<S: DepthFirstSearch>(search: &mut S) -> Result<(), S::Error> {
    while let Some(&mut LowLink { position, low }) = search.last() {
        match search.advance()? {
            Some(EdgeTarget::New | EdgeTarget::Complete) => {}
            Some(EdgeTarget::OnStack(to)) => lower(search, to),
            None if low == position => search.complete()?,
            None => {
                search.backtrack()?;
                lower(search, low);
            }
        }
    }
    Ok(())
}

/// The last vertex on the path reaches this position of the stack.
fn lower(search: &mut impl DepthFirstSearch, to: usize) {
    if let Some(last) = search.last() {
        last.low = last.low.min(to);
    }
}

/// The strongly connected components of an explicit graph, numbered in reverse topological order: an edge between two
/// components leads to the one of lower number.
pub(crate) struct Sccs {
    /// By vertex.
    pub(crate) of: Vec<u32>,
    pub(crate) count: usize,
}

impl Sccs {
    /// `successors` appends those of a vertex to a list.
    pub(crate) fn new(vertices: usize, successors: impl FnMut(u32, &mut Vec<u32>)) -> Self {
        let mut search = ExplicitSearch {
            successors,
            positions: vec![0; vertices],
            stack: Vec::new(),
            path: Vec::new(),
            edges: Vec::new(),
            sccs: Self { of: vec![NO_COMPONENT; vertices], count: 0 },
        };
        for root in 0..vertices as u32 {
            if search.positions[root as usize] == 0 {
                search.visit(root);
                let Ok(()) = run(&mut search);
            }
        }
        search.sccs
    }

    /// By component, its vertices.
    pub(crate) fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.count];
        for (vertex, &component) in self.of.iter().enumerate() {
            members[component as usize].push(vertex as u32);
        }
        members
    }

    /// Bytes that a search of a graph of this size takes, at most.
    pub(crate) fn search_bytes(vertices: usize, edges: usize) -> usize {
        vertices * (size_of::<ExplicitFrame>() + 3 * size_of::<u32>()) + edges * size_of::<u32>()
    }
}

/// A depth-first search of an explicit graph.
struct ExplicitSearch<F> {
    successors: F,
    /// By vertex: its position on the stack plus 1; 0: not visited. Of no meaning once its component is complete.
    positions: Vec<u32>,
    stack: Vec<u32>,
    path: Vec<ExplicitFrame>,
    /// The edges of the vertices on the path that have not been followed.
    edges: Vec<u32>,
    sccs: Sccs,
}

struct ExplicitFrame {
    low_link: LowLink,
    /// The index of its first edge.
    edges: usize,
}

impl<F: FnMut(u32, &mut Vec<u32>)> ExplicitSearch<F> {
    fn visit(&mut self, vertex: u32) {
        let position = self.stack.len();
        self.positions[vertex as usize] = position as u32 + 1;
        self.stack.push(vertex);
        self.path.push(ExplicitFrame { low_link: LowLink::new(position), edges: self.edges.len() });
        (self.successors)(vertex, &mut self.edges);
    }
}

impl<F: FnMut(u32, &mut Vec<u32>)> DepthFirstSearch for ExplicitSearch<F> {
    type Error = core::convert::Infallible;

    fn last(&mut self) -> Option<&mut LowLink> {
        self.path.last_mut().map(|frame| &mut frame.low_link)
    }

    fn advance(&mut self) -> Result<Option<EdgeTarget>, Self::Error> {
        let begin = self.path.last().map_or(0, |frame| frame.edges);
        if self.edges.len() == begin {
            return Ok(None);
        }
        let Some(to) = self.edges.pop() else { return Ok(None) };
        let target = if self.sccs.of[to as usize] != NO_COMPONENT {
            EdgeTarget::Complete
        } else if self.positions[to as usize] == 0 {
            self.visit(to);
            EdgeTarget::New
        } else {
            EdgeTarget::OnStack(self.positions[to as usize] as usize - 1)
        };
        Ok(Some(target))
    }

    fn backtrack(&mut self) -> Result<(), Self::Error> {
        self.path.pop();
        Ok(())
    }

    fn complete(&mut self) -> Result<(), Self::Error> {
        if let Some(root) = self.path.pop() {
            for vertex in self.stack.drain(root.low_link.position..) {
                self.sccs.of[vertex as usize] = self.sccs.count as u32;
            }
            self.sccs.count += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::mix;

    /// By vertex, a bit for every vertex that can be reached from it, itself included.
    fn reachable(edges: &[Vec<u32>]) -> Vec<u64> {
        let mut reached: Vec<u64> = (0..edges.len()).map(|vertex| 1 << vertex).collect();
        for _ in edges {
            for (from, targets) in edges.iter().enumerate() {
                reached[from] = targets.iter().fold(reached[from], |sum, &to| sum | reached[to as usize]);
            }
        }
        reached
    }

    #[test]
    fn vertices_share_a_component_if_they_reach_each_other_and_components_are_in_reverse_order() {
        for seed in 0..2000u64 {
            let random = |index: u64, below: u64| ((mix(seed << 20 | index) >> 32) * below) >> 32;
            let vertices = 1 + random(0, 9);
            let targets =
                |from| (0..random(1 + from, 4)).map(move |edge| random(16 + 4 * from + edge, vertices) as u32);
            let edges: Vec<Vec<u32>> = (0..vertices).map(|from| targets(from).collect()).collect();
            let sccs = Sccs::new(edges.len(), |from, found| found.extend(&edges[from as usize]));
            let reached = reachable(&edges);
            for (one, other) in (0..edges.len()).flat_map(|one| (0..edges.len()).map(move |other| (one, other))) {
                let mutual = reached[one] >> other & 1 == 1 && reached[other] >> one & 1 == 1;
                assert_eq!(sccs.of[one] == sccs.of[other], mutual, "{edges:?}");
                assert!(reached[one] >> other & 1 == 0 || sccs.of[other] <= sccs.of[one], "{edges:?}");
            }
            assert_eq!(sccs.members().iter().map(Vec::len).sum::<usize>(), edges.len());
        }
    }
}
