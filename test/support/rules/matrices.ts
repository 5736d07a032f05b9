import assert from 'node:assert/strict';
import type { Caller, TestAnswer, TestPlatform } from '../platform.ts';

export type MatrixRow = Record<string, unknown>;

/** The worked example of a matrix, as the table that an analyst would send. */
export const feesTable =
  'State,Client,Investor,Balance,Cost,Price\n5,10,3,1,output,output\n,,,,50,100\nCA,,,,60,120\n,Acme,,,50,90\n' +
  ',Acme,Northgate,,55,95\n,,,>500K,50,110\nTX,,,<100K,45,100\n';

/** Matrix operations of tests over HTTP. */
export interface MatrixCalls {
  ok(answer: Promise<TestAnswer>): Promise<MatrixRow>;
  /** Returns the error of a refused call, which must have this status. */
  refused(answer: Promise<TestAnswer>, status: number): Promise<MatrixRow>;
  save(module: string, body: object, caller?: Caller): Promise<MatrixRow>;
  trySave(module: string, body: object, caller?: Caller): Promise<TestAnswer>;
  /** Saves a whole matrix: columns by name, and for each row its filled cells. */
  saveWhole(
    name: string,
    inputs: Readonly<Record<string, object>>,
    outputs: Readonly<Record<string, object>>,
    rows: readonly Readonly<Record<string, string>>[],
  ): Promise<MatrixRow>;
  tryLookup(matrix: string, inputs?: Readonly<Record<string, string | number>>, caller?: Caller): Promise<TestAnswer>;
  lookup(matrix: string, inputs?: Readonly<Record<string, string | number>>, caller?: Caller): Promise<MatrixRow[]>;
  table(name: string, body: string | Uint8Array, caller?: Caller, type?: string): Promise<TestAnswer>;
  /** Returns the number of versions of a matrix. */
  versions(matrixId: unknown): Promise<number>;
}

/** Binds the calls to a platform. */
export function matrixCalls(p: TestPlatform): MatrixCalls {
  const ok = async (answer: Promise<TestAnswer>): Promise<MatrixRow> => {
    const got = await answer;
    assert.equal(got.status, 200, got.text);
    return got.json();
  };
  const trySave: MatrixCalls['trySave'] = (module, body, caller = p.admin) =>
    caller.post(`/api/${module}/save?Output=Json`, body);
  const save: MatrixCalls['save'] = (module, body, caller) => ok(trySave(module, body, caller));
  const tryLookup: MatrixCalls['tryLookup'] = (matrix, inputs = {}, caller = p.admin) => {
    const query = new URLSearchParams({
      Output: 'Json',
      Matrix: matrix,
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, String(value)])),
    });
    return caller.get(`/api/matrix/lookup?${query.toString()}`);
  };
  return {
    ok,
    save,
    trySave,
    tryLookup,
    async refused(answer, status) {
      const got = await answer;
      assert.equal(got.status, status, got.text);
      return (got.json() as never as { Error: MatrixRow }).Error;
    },
    saveWhole: (name, inputs, outputs, rows) =>
      save('matrix', {
        Matrix: name,
        Dimensions: Object.entries(inputs).map(([MatrixDimension, more], Sequence) => ({
          MatrixDimension,
          Sequence,
          ...more,
        })),
        Measures: Object.entries(outputs).map(([MatrixMeasure, more], Sequence) => ({
          MatrixMeasure,
          Sequence,
          ...more,
        })),
        Facts: rows.flatMap((row, at) =>
          Object.entries(row).map(([MatrixFact, Cell]) => ({ MatrixFact, Cell, RowNumber: at + 1 })),
        ),
      }),
    async lookup(matrix, inputs, caller) {
      const body = await ok(tryLookup(matrix, inputs, caller));
      return rowsOf(body, 'Matrix');
    },
    table: (name, body, caller = p.admin, type = 'text/csv') =>
      caller.post(`/api/matrix/importtable?Output=Json&Matrix=${encodeURIComponent(name)}`, body, {
        'Content-Type': type,
      }),
    async versions(matrixId) {
      const [row] = await p.platform.store.query<{ count: number }>(
        'select count(*)::integer as count from matrixversion where matrixid = $1::bigint',
        [matrixId],
      );
      return row?.count ?? 0;
    },
  };
}

/** Returns the rows of a list's JSON answer. */
export function rowsOf(body: MatrixRow, name: string): MatrixRow[] {
  return ((body[`${name}Collection`] as MatrixRow | undefined)?.[`${name}Item`] ?? []) as MatrixRow[];
}
