// Dense matrices, row by row in one Float64Array: entry (i, j) of a matrix with n columns stands at i·n + j.

export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly entries: Float64Array;
}

export function zeros(rows: number, columns: number): Matrix {
  return { rows, columns, entries: new Float64Array(rows * columns) };
}

export function identity(size: number): Matrix {
  const result = zeros(size, size);
  for (let i = 0; i < size; ++i) result.entries[i * size + i] = 1;
  return result;
}

/** A matrix from nested lists, as reports hold them, or from row-major numbers, as the model's code returns them. */
export function matrix(rows: number, columns: number, entries: ArrayLike<number>): Matrix {
  return { rows, columns, entries: Float64Array.from(entries) };
}

export function from_rows(list: readonly (readonly number[])[]): Matrix {
  return matrix(list.length, list[0]?.length ?? 0, list.flat());
}

export function at(a: Matrix, i: number, j: number): number {
  return a.entries[i * a.columns + j]!;
}

export function transpose(a: Matrix): Matrix {
  const result = zeros(a.columns, a.rows);
  for (let i = 0; i < a.rows; ++i) {
    for (let j = 0; j < a.columns; ++j) result.entries[j * a.rows + i] = at(a, i, j);
  }
  return result;
}

export function multiply(a: Matrix, b: Matrix): Matrix {
  const result = zeros(a.rows, b.columns);
  for (let i = 0; i < a.rows; ++i) {
    for (let k = 0; k < a.columns; ++k) {
      const factor = at(a, i, k);
      if (factor === 0) continue;
      for (let j = 0; j < b.columns; ++j) result.entries[i * b.columns + j]! += factor * at(b, k, j);
    }
  }
  return result;
}

/** A x. */
export function apply(a: Matrix, x: ArrayLike<number>): Float64Array {
  const result = new Float64Array(a.rows);
  for (let i = 0; i < a.rows; ++i) {
    let sum = 0;
    for (let j = 0; j < a.columns; ++j) sum += at(a, i, j) * x[j]!;
    result[i] = sum;
  }
  return result;
}

/** Some columns of a matrix, in the order of the list. */
export function take_columns(a: Matrix, list: readonly number[]): Matrix {
  const result = zeros(a.rows, list.length);
  for (let i = 0; i < a.rows; ++i) list.forEach((j, k) => (result.entries[i * list.length + k] = at(a, i, j)));
  return result;
}

/** Some rows of a matrix, in the order of the list. */
export function take_rows(a: Matrix, list: readonly number[]): Matrix {
  const result = zeros(list.length, a.columns);
  list.forEach((i, k) => result.entries.set(a.entries.subarray(i * a.columns, (i + 1) * a.columns), k * a.columns));
  return result;
}

/** Puts `block` into `a` with its first entry at (i, j). */
export function put(a: Matrix, i: number, j: number, block: Matrix): void {
  for (let r = 0; r < block.rows; ++r) {
    for (let s = 0; s < block.columns; ++s) a.entries[(i + r) * a.columns + j + s] = at(block, r, s);
  }
}

export function norm(x: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; ++i) sum += x[i]! * x[i]!;
  return Math.sqrt(sum);
}

/** The largest |x_i|; NaN where one is not a number. */
export function largest(x: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < x.length; ++i) {
    const size = Math.abs(x[i]!);
    if (!(size <= most)) most = size;
    if (Number.isNaN(size)) return NaN;
  }
  return most;
}

export function is_finite(x: ArrayLike<number>): boolean {
  for (let i = 0; i < x.length; ++i) if (!Number.isFinite(x[i]!)) return false;
  return true;
}
