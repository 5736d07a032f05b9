import type { Db } from '../../../../kernel/database/store.ts';

/** A stored change of a row of a setting. */
export interface StoredChange {
  readonly id: number;
  readonly at: string;
  readonly change: string;
  readonly personid: number | null;
  /** Whether the change was one of the value; `value`: the one before it. */
  readonly hasvalue: boolean;
  readonly value: string | null;
}

/** A row of a setting: the present one, or a deleted one. `value`: null once it is deleted. */
export interface SettingVersion {
  readonly id: number;
  readonly value: string | null;
  readonly created: string;
  readonly createdby: number | null;
}

/** A change of a setting. `From` and `To`: null where the default applied. */
export interface SettingChange {
  readonly At: string;
  readonly PersonID: number | null;
  readonly From: string | null;
  readonly To: string | null;
}

/** Most stored changes that are read. */
const CHANGES_MAX = 1_000;

/** Returns the changes of a setting, the latest first. */
export async function changesOf(db: Db, name: string): Promise<readonly SettingChange[]> {
  const versions = await db.query<SettingVersion>(
    `select settingid as id, value, createddate::text as created, createdpersonid as createdby
     from setting
     where lower(setting) = lower($1::text)
     union all
     select distinct on (h.recordid) h.recordid, null, h.old ->> 'createddate', (h.old ->> 'createdpersonid')::bigint
     from history h
     where h.tablename = 'setting' and h.change = 'delete' and lower(h.old ->> 'setting') = lower($1::text)
       and not exists (select from setting s where s.settingid = h.recordid)`,
    [name],
  );
  const stored = await db.query<StoredChange>(
    `select recordid as id, at, change, personid, old ? 'value' as hasvalue, old ->> 'value' as value
     from history
     where tablename = 'setting' and recordid = any($1::bigint[])
     order by at desc, historyid desc
     limit ${CHANGES_MAX}`,
    [`{${versions.map(({ id }) => id).join(',')}}`],
  );
  return versions
    .flatMap((version) => changesOfVersion(version, stored))
    .toSorted((a, b) => Date.parse(b.At) - Date.parse(a.At));
}

/** Returns the changes of one row, the latest first: the value after each is that before the next. */
export function changesOfVersion(version: SettingVersion, stored: readonly StoredChange[]): readonly SettingChange[] {
  let later = version.value;
  const changes: SettingChange[] = [];
  for (const { id, at, change, personid, hasvalue, value } of stored) {
    if (id !== version.id || (change === 'update' && !hasvalue)) continue;
    const from = change === 'undelete' ? null : value;
    changes.push({ At: at, PersonID: personid, From: from, To: change === 'delete' ? null : later });
    later = from;
  }
  return [...changes, { At: version.created, PersonID: version.createdby, From: null, To: later }];
}
