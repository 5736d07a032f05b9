import assert from 'node:assert/strict';
import type { TestAnswer, TestPlatform } from '../platform.ts';

/** A log entry about a row. */
export interface LoggedRow {
  readonly SourceLine?: number;
  readonly Status: string;
  readonly Operation: string;
  readonly Message?: string;
}

/** The outcome of a file. */
export interface Imported {
  readonly id: number;
  readonly status: string;
  readonly success: number;
  readonly errors: number;
  /** Why the run failed as a whole. */
  readonly message: string | undefined;
  readonly log: readonly LoggedRow[];
}

/** A template of a bulk engine: its options, and its maps in order. */
export interface BulkTemplate {
  readonly engine?: 'BulkReader' | 'BulkMerge' | 'DelimitedEngine';
  readonly options?: Readonly<Record<string, string>>;
  readonly maps?: readonly Readonly<Record<string, unknown>>[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

export const ok = (answer: TestAnswer): TestAnswer => {
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer;
};

let made = 0;

/** Operations of bulk import tests on a platform. */
export function bulkOn({ admin, platform }: TestPlatform) {
  const save = (template: BulkTemplate): Promise<TestAnswer> =>
    admin.post('/api/importfiletemplate/save?Output=Json', {
      ImportFileTemplate: `Bulk ${++made}`,
      ImportEngine: template.engine ?? 'BulkReader',
      ParameterString: new URLSearchParams(template.options).toString(),
      ...template.fields,
    });
  /** Creates a template and returns its name. */
  const template = async (parts: BulkTemplate): Promise<string> => {
    const saved = ok(await save(parts)).json();
    for (const [n, map] of (parts.maps ?? []).entries())
      ok(
        await admin.post('/api/importfilemap/save?Output=Json', {
          ImportFileTemplateID: Number(saved['ImportFileTemplateID']),
          Sequence: n + 1,
          ...map,
        }),
      );
    return String(saved['ImportFileTemplate']);
  };
  const send = async (name: string, body: string | Uint8Array, fileName = 'data.csv'): Promise<Imported> => {
    const answer = await admin.send(
      'POST',
      `/api/importfile/importbyobject?Output=Json&Template=${encodeURIComponent(name)}` +
        `&PreTransform_FileName=${encodeURIComponent(fileName)}`,
      body,
      { 'Content-Type': 'application/octet-stream' },
    );
    assert.match(answer.text, /"ID":/, answer.text.slice(0, 500));
    return imported(Number(/"ID":(\d+)/.exec(answer.text)?.[1]));
  };
  const imported = async (id: number): Promise<Imported> => {
    const file = ok(await admin.get(`/api/importfile/select?Output=Json&ID=${id}`)).json() as Record<string, unknown>;
    const log = ok(
      await admin.get(`/api/importlog/search?Output=Json&ImportFileID=${id}&DisplaySize=1000&OrderBy=Sequence`),
    ).json() as unknown as { ImportLogCollection: { ImportLogItem: LoggedRow[] } };
    return {
      id,
      status: String(file['Status']),
      success: Number(file['SuccessCount'] ?? 0),
      errors: Number(file['ErrorCount'] ?? 0),
      message: file['Message'] as string | undefined,
      log: log.ImportLogCollection.ImportLogItem,
    };
  };
  return {
    save,
    template,
    send,
    imported,
    /** Sends a file with a template created for it. */
    load: async (parts: BulkTemplate, body: string | Uint8Array, fileName?: string): Promise<Imported> =>
      send(await template(parts), body, fileName),
    /** Returns the rows of a staging table, each as the values of its columns in order. */
    rows: async (table: string, order = '1'): Promise<unknown[][]> =>
      (await platform.store.query(`select * from staging."${table}" order by ${order}`)).map((row) =>
        Object.values(row),
      ),
    columns: async (table: string): Promise<string[]> =>
      (
        await platform.store.query<{ reported: string }>(
          `select attname || ' ' || format_type(atttypid, atttypmod) as reported from pg_attribute
            where attrelid = to_regclass($1::text) and attnum > 0 and not attisdropped order by attnum`,
          [`staging."${table}"`],
        )
      ).map((row) => row.reported),
  };
}
