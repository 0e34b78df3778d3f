//! Linear least squares of few unknowns that are not negative.

use super::COUNT;

/// The x >= 0 that brings `row * x` nearest to 1 over all rows; terms that are off are 0. What comes out negative is
/// set to 0 and the rest solved again. `None` if the rows do not determine it.
pub fn positive(
    rows: impl Iterator<Item = [f64; COUNT]>,
    mut terms: [bool; COUNT],
) -> Option<[f64; COUNT]> {
    let (mut products, mut right) = ([[0.0; COUNT]; COUNT], [0.0; COUNT]);
    for row in rows {
        for i in 0..COUNT {
            right[i] += row[i];
            for j in 0..COUNT {
                products[i][j] += row[i] * row[j];
            }
        }
    }
    loop {
        let x = normal(&products, &right, terms)?;
        let worst = (0..COUNT).filter(|&i| x[i] < 0.0).min_by(|&i, &j| x[i].total_cmp(&x[j]));
        match worst {
            None => return Some(x),
            Some(i) => terms[i] = false,
        }
    }
}

/// Solves the normal equations by elimination with pivots, columns scaled to one length. A term without a row is 0.
fn normal(
    products: &[[f64; COUNT]; COUNT],
    right: &[f64; COUNT],
    terms: [bool; COUNT],
) -> Option<[f64; COUNT]> {
    const SINGULAR: f64 = 1e-11;
    let on: Vec<usize> = (0..COUNT).filter(|&i| terms[i] && products[i][i] > 0.0).collect();
    let scale = |i: usize| products[i][i].sqrt();
    let mut table: Vec<Vec<f64>> = on
        .iter()
        .map(|&i| {
            let left = on.iter().map(|&j| products[i][j] / (scale(i) * scale(j)));
            left.chain([right[i] / scale(i)]).collect()
        })
        .collect();
    let n = on.len();
    for column in 0..n {
        let size = |row: usize| table[row][column].abs();
        let pivot = (column..n).max_by(|&a, &b| size(a).total_cmp(&size(b)))?;
        if size(pivot) < SINGULAR {
            return None;
        }
        table.swap(column, pivot);
        let top = table[column].clone();
        for (row, cells) in table.iter_mut().enumerate() {
            if row != column {
                let factor = cells[column] / top[column];
                cells.iter_mut().zip(&top).for_each(|(cell, above)| *cell -= factor * above);
            }
        }
    }
    let mut x = [0.0; COUNT];
    for (row, &i) in on.iter().enumerate() {
        x[i] = table[row][n] / table[row][row] / scale(i);
    }
    Some(x)
}
