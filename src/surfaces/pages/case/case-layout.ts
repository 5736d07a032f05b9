import { parseFieldPath, type FieldPath } from '../../../kernel/declare/field-path.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { PANELS, SIDE, TABS, type LayoutContent, type LayoutFact } from '../../../lib/page-layouts/content.ts';
import type { PageCall } from '../page-call.ts';

/** What the page of a case shows, in order. It was checked when it was saved. */
export interface CaseLayout extends LayoutContent {
  /** Its name, and why it was chosen; undefined for the page's own layout. */
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
}

/** Facts of a record that no layout is for: those of its own fields that people look for first. */
const FACTS_MAX = 6;

/** Returns what the page shows for a record without a layout. */
function ownLayout(record: RecordType): CaseLayout {
  const names = ['LoanID', 'OrganizationID', 'Agency', 'DateOpened', 'AssignedPersonID'];
  const header = names.filter((name) => record.columns.has(name.toLowerCase())).slice(0, FACTS_MAX);
  return {
    header: header.map((field) => ({ field })),
    milestones: [],
    panels: PANELS.map((panel) => ({ panel })),
    side: SIDE,
    tabs: TABS,
  };
}

/** Reads the layout for a case and its user: the most specific one. */
export async function readLayout(
  call: PageCall,
  record: RecordType,
  processType: string | null | undefined,
): Promise<CaseLayout> {
  const { answer } = await call.call('pagelayout/choose', {
    AppliesTo: record.name,
    ...(processType !== null && processType !== undefined && processType !== '' && { ProcessType: processType }),
  });
  const [chosen] = answer.rows;
  if (typeof chosen?.Layout !== 'string') return ownLayout(record);
  const content = JSON.parse(chosen.Layout) as Partial<CaseLayout>;
  return {
    header: content.header ?? [],
    milestones: content.milestones ?? [],
    panels: content.panels ?? [],
    side: content.side ?? [],
    tabs: content.tabs ?? ['Overview'],
    name: chosen.PageLayout ?? undefined,
    reason: chosen.Reason,
  };
}

/** Returns the field of a fact; undefined if the field has been removed since the layout was saved. */
export function fieldOf(call: PageCall, record: RecordType, { field }: LayoutFact): FieldPath | undefined {
  try {
    return parseFieldPath(call.platform.registry, record, field, 'Layout');
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}
