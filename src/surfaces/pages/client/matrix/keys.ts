/** What keys and buttons do to the grid. */
export interface GridCommand {
  readonly name:
    | 'move'
    | 'edge'
    | 'edit'
    | 'clear'
    | 'fill'
    | 'newRow'
    | 'insert'
    | 'append'
    | 'delete'
    | 'up'
    | 'down'
    | 'undo'
    | 'redo'
    | 'selectAll';
  /** Of a move: how far. */
  readonly rows?: number;
  readonly columns?: number;
  /** Whether the selection grows. */
  readonly isExtending?: boolean;
}

/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 15;

const arrows: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-PAGE_ROWS, 0],
  PageDown: [PAGE_ROWS, 0],
};
const withCtrl: Readonly<Record<string, GridCommand['name']>> = {
  d: 'fill',
  z: 'undo',
  y: 'redo',
  a: 'selectAll',
  Enter: 'newRow',
};
const withAlt: Readonly<Record<string, GridCommand['name']>> = { ArrowUp: 'up', ArrowDown: 'down', Delete: 'delete' };
const alone: Readonly<Record<string, GridCommand['name']>> = {
  F2: 'edit',
  Enter: 'edit',
  Delete: 'clear',
  Backspace: 'clear',
};

/** Returns what a key does while no cell is edited; undefined for keys that the grid leaves alone. */
export function commandOf(event: KeyboardEvent): GridCommand | undefined {
  const { key, shiftKey, altKey } = event;
  const isCtrl = event.ctrlKey || event.metaKey;
  if (altKey) return named(withAlt[key]);
  const arrow = arrows[key];
  if (arrow) return { name: isCtrl ? 'edge' : 'move', rows: arrow[0], columns: arrow[1], isExtending: shiftKey };
  if (key === 'Home' || key === 'End') return homeOrEnd(key === 'Home' ? -1 : 1, isCtrl, shiftKey);
  if (isCtrl && shiftKey && key.toLowerCase() === 'z') return { name: 'redo' };
  return named(isCtrl ? withCtrl[key.length === 1 ? key.toLowerCase() : key] : alone[key]);
}

/** Home and End go to the ends of the row; with Ctrl, to those of the table. */
function homeOrEnd(direction: number, isCtrl: boolean, isExtending: boolean): GridCommand {
  return { name: 'edge', rows: isCtrl ? direction : 0, columns: direction, isExtending };
}

const named = (name: GridCommand['name'] | undefined): GridCommand | undefined => name && { name };
