/** A cell, by its row and column, both counted from 0. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** The active cell, which is the only one in the tab order, and the cells that are chosen with it. */
export class Selection {
  active: CellPlace = { row: 0, column: 0 };
  private anchor: CellPlace = this.active;
  private readonly rows: () => readonly HTMLElement[];
  private readonly columns: () => number;
  private shown: HTMLElement[] = [];
  private focusable: HTMLElement | undefined;

  constructor(rows: () => readonly HTMLElement[], columns: () => number) {
    this.rows = rows;
    this.columns = columns;
    this.focusable = this.cell();
  }

  /** Returns the element of a cell; by default of the active one. */
  cell({ row, column }: CellPlace = this.active): HTMLElement | undefined {
    return this.rows()[row]?.children[column + 2] as HTMLElement | undefined;
  }

  /** Makes a cell active. `isExtending`: the cells from the former one to it are chosen. */
  moveTo(place: CellPlace, isExtending = false, takesFocus = true): void {
    this.active = this.within(place);
    if (!isExtending) this.anchor = this.active;
    this.show();
    const cell = this.cell();
    if (this.focusable !== cell) this.focusable?.removeAttribute('tabindex');
    this.focusable = cell;
    cell?.setAttribute('tabindex', '0');
    if (!takesFocus || !cell) return;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** Returns the nearest cell that exists. */
  within({ row, column }: CellPlace): CellPlace {
    const clamp = (value: number, count: number): number => Math.max(0, Math.min(value, count - 1));
    return { row: clamp(row, this.rows().length), column: clamp(column, this.columns()) };
  }

  /** Returns the cell that is so many rows and columns away. */
  moved(rows: number, columns: number): CellPlace {
    return this.within({ row: this.active.row + rows, column: this.active.column + columns });
  }

  /** Returns the last cell in a direction. */
  edge(rows: number, columns: number): CellPlace {
    const far = Number.MAX_SAFE_INTEGER;
    const to = (direction: number, from: number): number => (direction === 0 ? from : Math.sign(direction) * far);
    return this.within({ row: to(rows, this.active.row), column: to(columns, this.active.column) });
  }

  /** Returns the corners of what is chosen. */
  range(): { readonly first: CellPlace; readonly last: CellPlace } {
    const [a, b] = [this.active, this.within(this.anchor)];
    return {
      first: { row: Math.min(a.row, b.row), column: Math.min(a.column, b.column) },
      last: { row: Math.max(a.row, b.row), column: Math.max(a.column, b.column) },
    };
  }

  /** Returns the cells that are chosen, row by row. */
  cells(): CellPlace[] {
    const { first, last } = this.range();
    const places: CellPlace[] = [];
    for (let row = first.row; row <= last.row; row++)
      for (let column = first.column; column <= last.column; column++) places.push({ row, column });
    return places;
  }

  /** Chooses the active cell alone, after rows were added, removed or moved. */
  forget(): void {
    this.active = this.within(this.active);
    this.anchor = this.active;
    this.show();
  }

  private show(): void {
    for (const cell of this.shown) {
      cell.classList.remove('chosen');
      cell.removeAttribute('aria-selected');
    }
    const places = this.cells();
    this.shown = places.length === 1 ? [] : places.flatMap((place) => this.cell(place) ?? []);
    for (const cell of this.shown) {
      cell.classList.add('chosen');
      cell.setAttribute('aria-selected', 'true');
    }
  }
}
