import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Context } from '../../../../kernel/door/context.ts';

/** A stored layout. */
export interface StoredLayout {
  readonly id: number;
  readonly name: string | null;
  readonly appliesTo: string;
  readonly processType: string | null;
  readonly role: string | null;
  readonly layout: string;
}

/** The cases and the user that a layout is chosen for. */
export interface LayoutTarget {
  readonly record: RecordType;
  readonly processType: string | null;
  readonly roles: readonly string[];
}

/** A layout that fits, and why it has its place. */
export interface LayoutMatch {
  readonly layout: StoredLayout;
  readonly reason: string;
}

/** Returns the active layouts, cached until configuration changes. */
export function storedLayouts({ configuration }: Pick<Context, 'configuration'>): Promise<readonly StoredLayout[]> {
  return configuration.get('page layouts', () =>
    configuration.db.query<StoredLayout>(
      `select pagelayoutid as id, pagelayout as name, appliesto as "appliesTo",
         nullif(trim(processtype), '') as "processType", nullif(trim(role), '') as role, layout
       from pagelayout
       where coalesce(status, '') <> 'Inactive'
       order by pagelayoutid`,
    ),
  );
}

/**
 * Returns the layouts that fit a case and a user, the most specific first: a layout for a role before one for all, then
 * one for a case type, then one for the record type itself before one for its base.
 */
export function matchingLayouts(layouts: readonly StoredLayout[], target: LayoutTarget): readonly LayoutMatch[] {
  const isSame = (a: string | null, b: string | null): boolean => (a ?? '').toLowerCase() === (b ?? '').toLowerCase();
  return layouts
    .filter(
      ({ appliesTo, processType, role }) =>
        distanceTo(target.record, appliesTo) !== undefined &&
        (processType === null || isSame(processType, target.processType)) &&
        (role === null || target.roles.some((one) => isSame(one, role))),
    )
    .map((layout) => ({ layout, rank: rankOf(layout, target.record) }))
    .sort((a, b) => b.rank - a.rank || a.layout.id - b.layout.id)
    .map(({ layout }) => ({ layout, reason: reasonOf(layout) }));
}

function rankOf({ appliesTo, processType, role }: StoredLayout, record: RecordType): number {
  const isOwn = distanceTo(record, appliesTo) === 0;
  return (role === null ? 0 : 4) + (processType === null ? 0 : 2) + (isOwn ? 1 : 0);
}

/** Returns how many types up a name is from a record type; undefined if it is neither the type nor one of its bases. */
function distanceTo(record: RecordType, name: string): number | undefined {
  let distance = 0;
  for (let at: RecordType | undefined = record; at; at = at.base, distance++)
    if (at.name.toLowerCase() === name.toLowerCase()) return distance;
  return undefined;
}

function reasonOf({ appliesTo, processType, role }: StoredLayout): string {
  return [
    role === null ? 'for all roles' : `for the role ${role}`,
    processType === null ? 'all case types' : `the case type ${processType}`,
    `the record type ${appliesTo}`,
  ].join(', ');
}
