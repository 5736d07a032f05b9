import type { Db } from '../../../kernel/database/store.ts';

/** What an event belongs to. */
export type CaseKind = 'Foreclosure' | 'Bankruptcy' | 'Delay' | 'Loan';

/** Configuration of an event code. */
export interface EventCodeConfig {
  readonly kind: CaseKind | undefined;
  readonly task:
    | { readonly templateId: number; readonly name: string; readonly isOpen: boolean; readonly isProjected: boolean }
    | undefined;
  readonly status: string | undefined;
  readonly delayTemplateId: number | undefined;
}

interface StoredEventCode {
  readonly code: string;
  readonly kind: CaseKind | null;
  readonly status: string | null;
  readonly taskdate: string | null;
  readonly templateid: number | null;
  readonly template: string | null;
  readonly extranet: string | null;
  readonly delaytemplateid: number | null;
}

/**
 * Reads the configured event codes, by code in upper case. Codes whose status is Inactive are treated as not
 * configured.
 */
export async function readEventCodes(db: Db): Promise<ReadonlyMap<string, EventCodeConfig>> {
  const rows = await db.query<StoredEventCode>(
    `select c.eventcode as code, c.casekind as kind, c.casestatus as status, c.taskdate, c.importformtemplateid as
      templateid, t.importformtemplate as template, t.extranetenabled as extranet, c.decisiondelaytemplateid as
      delaytemplateid
     from eventcode c left join importformtemplate t on t.importformtemplateid = c.importformtemplateid
     where c.eventcode is not null and coalesce(c.status, '') <> 'Inactive'`,
  );
  return new Map(
    rows.map((row) => [
      row.code.trim().toUpperCase(),
      {
        kind: row.kind ?? undefined,
        task:
          row.templateid === null
            ? undefined
            : {
                templateId: row.templateid,
                name: row.template ?? row.code,
                isOpen: row.extranet !== 'No',
                isProjected: row.taskdate === 'Projected',
              },
        status: row.status ?? undefined,
        delayTemplateId: row.delaytemplateid ?? undefined,
      },
    ]),
  );
}
