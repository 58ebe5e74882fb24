//! Where boxes and lines of a picture go: columns by depth, an order in each with few crossings, and lines that pass
//! between the boxes.

/// A box to be placed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A box that has its place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Placed {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Places and lines of a whole picture.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) boxes: Vec<Placed>,
    /// One for each edge, as pairs of points: straight inside a column, a curve from one to the next.
    pub(super) lines: Vec<Vec<(f64, f64)>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

const ROW_GAP: f64 = 26.0;
const LINE_GAP: f64 = 14.0;
const LINE_HEIGHT: f64 = 6.0;
const SWEEPS: usize = 12;

/// A box, or the place where a line passes a column.
struct Node {
    column: usize,
    height: f64,
    before: Vec<usize>,
    after: Vec<usize>,
    y: f64,
}

/// Lays out boxes and the edges between them.
pub(super) fn layout(sizes: &[Size], edges: &[(usize, usize)]) -> Layout {
    let columns = columns(sizes.len(), edges);
    let mut nodes: Vec<Node> = sizes
        .iter()
        .zip(&columns)
        .map(|(size, column)| Node {
            column: *column,
            height: size.height,
            before: Vec::new(),
            after: Vec::new(),
            y: 0.0,
        })
        .collect();
    // The nodes that each edge passes, its ends included.
    let paths: Vec<Vec<usize>> = edges.iter().map(|(from, to)| path(&mut nodes, *from, *to)).collect();
    let count = columns.iter().max().map_or(0, |last| last + 1);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, node) in nodes.iter().enumerate() {
        order[node.column].push(number);
    }
    let order = arrange(&nodes, order);
    stack(&mut nodes, &order, sizes.len());
    measure(&nodes, &order, sizes, &paths, edges)
}

/// The depth of each box: one more than the deepest that comes before. Boxes that nothing comes before stand
/// directly before the first that comes after them.
fn columns(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut waiting = vec![0_usize; count];
    let mut leaving = vec![Vec::new(); count];
    for (from, to) in edges.iter().filter(|(from, to)| from != to) {
        waiting[*to] += 1;
        leaving[*from].push(*to);
    }
    let is_first: Vec<bool> = waiting.iter().map(|count| *count == 0).collect();
    let mut depth = vec![0_usize; count];
    let mut done = vec![false; count];
    let mut ready: std::collections::BTreeSet<usize> = (0..count).filter(|at| waiting[*at] == 0).collect();
    for _ in 0..count {
        // Groups may need each other where their objects do not; then the first of them goes first.
        let next = ready.pop_first().or_else(|| (0..count).find(|at| !done[*at]));
        let Some(at) = next else { break };
        done[at] = true;
        for to in &leaving[at] {
            if done[*to] {
                continue;
            }
            depth[*to] = depth[*to].max(depth[at] + 1);
            waiting[*to] -= 1;
            if waiting[*to] == 0 {
                ready.insert(*to);
            }
        }
    }
    for at in (0..count).filter(|at| is_first[*at]) {
        let nearest = leaving[at].iter().map(|to| depth[*to]).min();
        depth[at] = nearest.map_or(depth[at], |nearest| nearest.saturating_sub(1));
    }
    depth
}

fn path(nodes: &mut Vec<Node>, from: usize, to: usize) -> Vec<usize> {
    let mut path = vec![from];
    for column in nodes[from].column + 1..nodes[to].column {
        path.push(nodes.len());
        nodes.push(Node { column, height: LINE_HEIGHT, before: Vec::new(), after: Vec::new(), y: 0.0 });
    }
    path.push(to);
    if nodes[from].column < nodes[to].column {
        for pair in path.windows(2) {
            nodes[pair[0]].after.push(pair[1]);
            nodes[pair[1]].before.push(pair[0]);
        }
    }
    path
}

/// Orders the columns so that few lines cross: each node goes to the mean of its neighbours, again and again.
fn arrange(nodes: &[Node], mut order: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut best = order.clone();
    let mut fewest = crossings(nodes, &order);
    for sweep in 0..SWEEPS {
        let columns: Vec<usize> = if sweep % 2 == 0 {
            (1..order.len()).collect()
        } else {
            (0..order.len().saturating_sub(1)).rev().collect()
        };
        for column in columns {
            let neighbour = if sweep % 2 == 0 { column - 1 } else { column + 1 };
            let mut place = vec![0.0; nodes.len()];
            for (at, node) in order[neighbour].iter().enumerate() {
                place[*node] = at as f64;
            }
            let key = |at: usize, node: &usize| {
                let of = &nodes[*node];
                let neighbours = if sweep % 2 == 0 { &of.before } else { &of.after };
                if neighbours.is_empty() {
                    return at as f64;
                }
                neighbours.iter().map(|other| place[*other]).sum::<f64>() / neighbours.len() as f64
            };
            let mut keyed: Vec<(f64, usize)> =
                order[column].iter().enumerate().map(|(at, node)| (key(at, node), *node)).collect();
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
            order[column] = keyed.into_iter().map(|(_, node)| node).collect();
        }
        let count = crossings(nodes, &order);
        if count < fewest {
            (fewest, best) = (count, order.clone());
        }
        if fewest == 0 {
            break;
        }
    }
    best
}

fn crossings(nodes: &[Node], order: &[Vec<usize>]) -> usize {
    let mut place = vec![0; nodes.len()];
    for column in order {
        for (at, node) in column.iter().enumerate() {
            place[*node] = at;
        }
    }
    let mut count = 0;
    for column in order {
        let mut lines: Vec<(usize, usize)> = column
            .iter()
            .flat_map(|node| nodes[*node].after.iter().map(|to| (place[*node], place[*to])))
            .collect();
        lines.sort_unstable();
        for (at, (_, one)) in lines.iter().enumerate() {
            count += lines[..at].iter().filter(|(_, other)| other > one).count();
        }
    }
    count
}

/// Gives each node its height: as near to its neighbours as the order of its column allows.
fn stack(nodes: &mut [Node], order: &[Vec<usize>], boxes: usize) {
    for column in order {
        let wanted = vec![0.0; column.len()];
        settle(nodes, column, &wanted, boxes);
    }
    for sweep in 0..SWEEPS * 2 {
        let columns: Vec<usize> =
            if sweep % 2 == 0 { (0..order.len()).collect() } else { (0..order.len()).rev().collect() };
        for column in columns {
            let wanted: Vec<f64> = order[column]
                .iter()
                .map(|node| {
                    let of = &nodes[*node];
                    let neighbours = || of.before.iter().chain(&of.after);
                    let count = neighbours().count();
                    if count == 0 {
                        of.y
                    } else {
                        neighbours().map(|at| nodes[*at].y).sum::<f64>() / count as f64
                    }
                })
                .collect();
            settle(nodes, &order[column], &wanted, boxes);
        }
    }
}

/// Moves the nodes of a column to where they want to be, as far as they do not overlap: nodes that would are
/// pushed together into a block, which goes to the mean of what its nodes want.
fn settle(nodes: &mut [Node], column: &[usize], wanted: &[f64], boxes: usize) {
    let gap = |one: usize, other: usize| if one < boxes && other < boxes { ROW_GAP } else { LINE_GAP };
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(column.len());
    for (at, node) in column.iter().enumerate() {
        if at > 0 {
            let above = column[at - 1];
            offset += nodes[above].height / 2.0 + gap(above, *node) + nodes[*node].height / 2.0;
        }
        offsets.push(offset);
    }
    // Each block has its mean and its length.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (want, offset) in wanted.iter().zip(&offsets) {
        blocks.push((want - offset, 1));
        while let [.., (above, above_length), (below, below_length)] = blocks[..]
            && above > below
        {
            let length = above_length + below_length;
            let mean = (above * above_length as f64 + below * below_length as f64) / length as f64;
            blocks.truncate(blocks.len() - 2);
            blocks.push((mean, length));
        }
    }
    let means = blocks.iter().flat_map(|(mean, length)| std::iter::repeat_n(*mean, *length));
    for ((node, offset), mean) in column.iter().zip(&offsets).zip(means) {
        nodes[*node].y = mean + offset;
    }
}

/// From columns and heights to points.
fn measure(
    nodes: &[Node],
    order: &[Vec<usize>],
    sizes: &[Size],
    paths: &[Vec<usize>],
    edges: &[(usize, usize)],
) -> Layout {
    let top = nodes.iter().map(|node| node.y - node.height / 2.0).fold(f64::INFINITY, f64::min);
    let bottom = nodes.iter().map(|node| node.y + node.height / 2.0).fold(f64::NEG_INFINITY, f64::max);
    let top = if top.is_finite() { top } else { 0.0 };
    let mut lefts = Vec::with_capacity(order.len());
    let mut widths = Vec::with_capacity(order.len());
    let mut x = 0.0;
    for column in order {
        let width =
            column.iter().filter_map(|node| sizes.get(*node)).map(|size| size.width).fold(0.0, f64::max);
        let lines: usize = column.iter().map(|node| nodes[*node].after.len()).sum();
        lefts.push(x);
        widths.push(width);
        x += width + (48.0 + 6.0 * lines as f64).min(140.0);
    }
    let boxes: Vec<Placed> = sizes
        .iter()
        .enumerate()
        .map(|(number, size)| {
            let column = nodes[number].column;
            let is_small = size.height < 2.0 * ROW_GAP;
            // Boxes of a column are equally wide; points stand in its middle.
            let width = if is_small { size.width } else { widths[column] };
            Placed {
                x: lefts[column] + (widths[column] - width) / 2.0,
                y: nodes[number].y - size.height / 2.0 - top,
                width,
                height: size.height,
            }
        })
        .collect();
    let starts = ports(nodes, edges, paths, &boxes, true, top);
    let ends = ports(nodes, edges, paths, &boxes, false, top);
    let lines = paths
        .iter()
        .zip(edges)
        .enumerate()
        .map(|(edge, (path, (from, to)))| {
            let (from_column, to_column) = (nodes[*from].column, nodes[*to].column);
            let mut points = vec![(boxes[*from].x + boxes[*from].width, starts[edge])];
            if from_column < to_column {
                points.push((lefts[from_column] + widths[from_column], starts[edge]));
            }
            for node in &path[1..path.len() - 1] {
                let (column, y) = (nodes[*node].column, nodes[*node].y - top);
                points.push((lefts[column], y));
                points.push((lefts[column] + widths[column], y));
            }
            if from_column < to_column {
                points.push((lefts[to_column], ends[edge]));
            }
            points.push((boxes[*to].x, ends[edge]));
            points
        })
        .collect();
    let width = lefts.last().zip(widths.last()).map_or(0.0, |(left, width)| left + width);
    Layout { boxes, lines, width, height: (bottom - top).max(0.0) }
}

/// The heights at which lines leave or enter their boxes: spread over the side, in the order of where they go.
fn ports(
    nodes: &[Node],
    edges: &[(usize, usize)],
    paths: &[Vec<usize>],
    boxes: &[Placed],
    leaving: bool,
    top: f64,
) -> Vec<f64> {
    let mut at: Vec<Vec<(f64, usize)>> = vec![Vec::new(); boxes.len()];
    for (edge, ((from, to), path)) in edges.iter().zip(paths).enumerate() {
        let (node, towards) = if leaving { (*from, path[1]) } else { (*to, path[path.len() - 2]) };
        at[node].push((nodes[towards].y, edge));
    }
    let mut heights = vec![0.0; edges.len()];
    for (node, mut lines) in at.into_iter().enumerate() {
        lines.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let step = if lines.len() > 1 {
            ((boxes[node].height - 16.0).max(0.0) / (lines.len() - 1) as f64).min(14.0)
        } else {
            0.0
        };
        let first = nodes[node].y - top - step * (lines.len().saturating_sub(1)) as f64 / 2.0;
        for (number, (_, edge)) in lines.iter().enumerate() {
            heights[*edge] = first + step * number as f64;
        }
    }
    heights
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph() -> impl Strategy<Value = (Vec<Size>, Vec<(usize, usize)>)> {
        (1..14_usize).prop_flat_map(|count| {
            let sizes = proptest::collection::vec((80.0..300.0_f64, 60.0..200.0_f64), count);
            let edges = proptest::collection::vec((0..count, 0..count), 0..24);
            (sizes, edges).prop_map(|(sizes, edges)| {
                let sizes = sizes.into_iter().map(|(width, height)| Size { width, height }).collect();
                let mut edges: Vec<_> = edges.into_iter().filter(|(from, to)| from < to).collect();
                edges.sort_unstable();
                edges.dedup();
                (sizes, edges)
            })
        })
    }

    proptest! {
        #[test]
        fn boxes_do_not_overlap_and_no_line_runs_through_a_box((sizes, edges) in graph()) {
            let layout = layout(&sizes, &edges);
            let inside = |placed: &Placed, x: f64, y: f64| {
                x > placed.x + 1.0 && x < placed.x + placed.width - 1.0
                    && y > placed.y + 1.0 && y < placed.y + placed.height - 1.0
            };
            for (number, one) in layout.boxes.iter().enumerate() {
                prop_assert!(one.y >= -0.01 && one.y + one.height <= layout.height + 0.01);
                for other in &layout.boxes[..number] {
                    let apart = one.x + one.width <= other.x || other.x + other.width <= one.x
                        || one.y + one.height <= other.y || other.y + other.height <= one.y;
                    prop_assert!(apart);
                }
            }
            for (line, (from, to)) in layout.lines.iter().zip(&edges) {
                // Straight pieces lie in columns; curves between columns meet no box at all.
                for pair in line.windows(2).filter(|pair| (pair[0].1 - pair[1].1).abs() < 0.01) {
                    for part in 0..=20 {
                        let x = pair[0].0 + (pair[1].0 - pair[0].0) * f64::from(part) / 20.0;
                        for (number, placed) in layout.boxes.iter().enumerate() {
                            prop_assert!(number == *from || number == *to || !inside(placed, x, pair[0].1));
                        }
                    }
                }
                prop_assert!(line.windows(2).all(|pair| pair[0].0 <= pair[1].0));
            }
        }
    }

    #[test]
    fn groups_that_need_each_other_are_drawn_all_the_same() {
        let size = Size { width: 10.0, height: 60.0 };
        let layout = layout(&[size, size, size], &[(0, 1), (1, 0), (1, 2)]);
        assert_eq!(layout.boxes.len(), 3);
        assert!(layout.boxes[0].x < layout.boxes[1].x && layout.boxes[1].x < layout.boxes[2].x);
    }
}
