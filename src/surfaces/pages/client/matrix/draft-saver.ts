import { EDITS_MAX, type Grid, type GridEdit } from '../../../../lib/decision-tables/grid.ts';
import { callOperation, NO_ANSWER, type CallAnswer } from '../call.ts';

/** How long after the last change the draft is saved. */
const DELAY_MILLISECONDS = 700;
/** How long after a failure it is tried again. */
const RETRY_MILLISECONDS = 5_000;

const SESSION_ENDED = 401;
const CONFLICT = 409;

/** What the saver tells the grid. */
export interface SaverEvents {
  /** Saved: the version, and the answer of the server. `grid`: what it has now. */
  readonly saved: (data: Readonly<Record<string, unknown>>, grid: Grid) => void;
  /** Somebody else changed the draft. */
  readonly conflict: () => void;
  /** Words about what is saved and what is not. */
  readonly status: (text: string, tone: 'done' | 'waiting' | 'failed') => void;
}

/** Saves edits of a draft one batch after the other. Edits that could not be sent wait, also over a reload. */
export class DraftSaver {
  version: number;
  /** What the server has, so far as is known. */
  saved: Grid;
  private current: Grid;
  private waiting: GridEdit[] = [];
  private sending = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly id: number;
  private readonly events: SaverEvents;

  constructor(id: number, version: number, grid: Grid, events: SaverEvents) {
    this.id = id;
    this.version = version;
    this.saved = grid;
    this.current = grid;
    this.events = events;
    window.addEventListener('online', () => this.schedule(0));
    window.addEventListener('beforeunload', (event) => {
      if (this.waiting.length > 0) event.preventDefault();
    });
  }

  /** Returns the edits that an earlier page could not send, if they are of this version. */
  unsent(): GridEdit[] {
    const text = sessionStorage.getItem(this.key());
    if (text === null) return [];
    const { version, edits } = JSON.parse(text) as { version: number; edits: GridEdit[] };
    sessionStorage.removeItem(this.key());
    return version === this.version ? edits : [];
  }

  /** Adds edits; `grid` is the table after them. */
  add(edits: readonly GridEdit[], grid: Grid): void {
    this.waiting.push(...edits);
    this.current = grid;
    this.store();
    this.events.status('Saving …', 'waiting');
    this.schedule(DELAY_MILLISECONDS);
  }

  /** Starts again from what the server has. */
  reset(version: number, grid: Grid): void {
    this.version = version;
    this.saved = grid;
    this.current = grid;
    this.waiting = [];
    this.store();
  }

  /** Reloads the page, which then saves the edits on this version. */
  reload(version: number, edits: readonly GridEdit[]): void {
    this.version = version;
    this.waiting = [...edits];
    this.store();
    this.waiting = [];
    location.reload();
  }

  /** How many edits wait. */
  get count(): number {
    return this.waiting.length;
  }

  private key(): string {
    return `matrix-draft-${this.id}`;
  }

  private store(): void {
    if (this.waiting.length === 0) sessionStorage.removeItem(this.key());
    else sessionStorage.setItem(this.key(), JSON.stringify({ version: this.version, edits: this.waiting }));
  }

  private schedule(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.send(), delay);
  }

  private async send(): Promise<void> {
    if (this.sending > 0 || this.waiting.length === 0) return;
    const batch = this.waiting.slice(0, EDITS_MAX);
    const grid = this.current;
    this.sending = batch.length;
    const answer = await callOperation('matrix/savedraft', {
      ID: this.id,
      Version: this.version,
      Edits: JSON.stringify(batch),
    });
    this.sending = 0;
    if (answer.data !== undefined) this.take(answer.data as Readonly<Record<string, unknown>>, batch.length, grid);
    else this.fail(answer);
  }

  private take(data: Readonly<Record<string, unknown>>, sent: number, grid: Grid): void {
    this.waiting.splice(0, sent);
    this.version = Number(data['Version']);
    this.store();
    if (this.waiting.length > 0) {
      this.schedule(0);
      return;
    }
    this.saved = grid;
    const time = timeOf(data['UpdatedDate']);
    this.events.status(`Saved ${time}`, 'done');
    this.events.saved(data, grid);
  }

  private fail({ status, error = '' }: CallAnswer): void {
    const count = this.waiting.length;
    const changes = `${count} ${count === 1 ? 'change is' : 'changes are'} kept here`;
    if (status === CONFLICT) this.events.conflict();
    else if (status === NO_ANSWER || status >= 500) {
      this.events.status(`Offline. ${changes} and saved when the connection returns.`, 'waiting');
      this.schedule(RETRY_MILLISECONDS);
    } else if (status === SESSION_ENDED) {
      this.events.status(`Your session has ended. ${changes}: sign in again in another tab.`, 'failed');
      this.schedule(RETRY_MILLISECONDS);
    } else this.events.status(`Not saved. ${error}`, 'failed');
  }
}

/** Returns the time of an instant, in the browser's time zone: "11:02 AM". */
function timeOf(instant: unknown): string {
  const at = typeof instant === 'string' ? Date.parse(instant) : NaN;
  if (!Number.isFinite(at)) return '';
  return new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' }).format(at);
}
