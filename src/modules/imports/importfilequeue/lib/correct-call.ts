import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { parseRoute } from '../../../../kernel/door/route.ts';
import { holdsNumber } from '../../../../kernel/security/mask.ts';
import { openText, sealText } from '../../../../kernel/security/sealed-text.ts';
import { parseXml, writeXml, xmlElement, type XmlElement } from '../../../../kernel/xml/element.ts';
import type { ChangedCells } from '../../importfile/lib/correct/changed-cells.ts';
import { insertCorrections } from '../../importfile/lib/correct/stored-corrections.ts';
import type { importFileQueue } from '../importfilequeue.record.ts';
import { lockRows, requeueRefusal, requeueRows } from './requeue.ts';

/**
 * Changes parameters of a failed row of a batch, records the correction, and queues the row again.
 * @throws STATE_REFUSES if it did not fail; NO_PERMISSION if the caller may not call its operation
 */
export async function correctCall(
  own: Context,
  row: Row<typeof importFileQueue>,
  changes: ChangedCells,
): Promise<void> {
  const id = row.ImportFileQueueID;
  const [candidate] = await lockRows(own, [id]);
  const refusal = candidate && requeueRefusal(candidate);
  if (!candidate || refusal !== undefined || row.FailureDate === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: row ${id} ${refusal ?? 'did not fail; only failed rows can be corrected.'}`,
    });
  await assertMayCall(own, row, candidate.personId);
  await own.transaction().elevated(async (db) => {
    const [stored] = await db.query<{ sealed: string }>(
      'select parameterxml as sealed from importfilequeue where importfilequeueid = $1::bigint',
      [id],
    );
    const before = parseXml(openText(own.cipher, 'importfilequeue', 'parameterxml', stored?.sealed ?? ''));
    const after = writeXml(changedParameters(before, changes));
    await db.query('update importfilequeue set parameterxml = $2::text where importfilequeueid = $1::bigint', [
      id,
      sealText(own.cipher, 'importfilequeue', 'parameterxml', after),
    ]);
  });
  await insertCorrections(own, {
    importFileId: candidate.importFileId,
    organizationId: row.OrganizationID,
    actorPersonId: candidate.personId,
    rows: [
      {
        importLogId: row.ImportLogID,
        line: row.SourceLine ?? 0,
        label: row.ImportFileQueue,
        message: row.Message ?? 'It failed.',
        column: null,
      },
    ],
    changes,
    isCall: true,
  });
  await requeueRows(own, [candidate], undefined);
}

/**
 * A row runs as the user who queued it: nobody lends another user's authority to parameters of an operation that they
 * may not call, or whose parameters name calls.
 */
async function assertMayCall(
  own: Context,
  { ClassName: className, Operation: operation }: Row<typeof importFileQueue>,
  personId: number,
): Promise<void> {
  const route = parseRoute(own.registry, [className ?? '', ...(operation ?? '').split('/')], 'POST');
  const found = route.operation ?? (await own.findOperation(route.module, route.path));
  const mayCall = found !== undefined && own.user.permissions.has(found.permissionName);
  const isOwn = personId === own.user.personId;
  if (mayCall && (isOwn || found.callsNamed !== true)) return;
  throw new PlatformError('NO_PERMISSION', {
    message: mayCall
      ? `Parameters of ${className ?? ''}/${operation ?? ''} name calls; only the user who queued the row may change ` +
        'them.'
      : `The permission ${found?.permissionName ?? 'for its operation'} is not granted; correcting this row needs it.`,
  });
}

/** Returns the parameters with new values; a new name is added, an empty value removes one. */
function changedParameters(root: XmlElement, changes: ChangedCells): XmlElement {
  const left = new Map(Object.entries(changes).map(([name, value]) => [name.toLowerCase(), { name, value }]));
  const unchanged = root.children.flatMap((element) => {
    const change = left.get(element.name.toLowerCase());
    if (!change) return [element];
    left.delete(element.name.toLowerCase());
    assertPlain(element, change.value);
    return change.value === '' ? [] : [xmlElement(element.name, change.value)];
  });
  const added = [...left.values()].filter(({ value }) => value !== '');
  const bad = added.find(({ name }) => !/^[A-Za-z_]\w*$/.test(name));
  if (bad)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Changes',
      message: `Changes: "${bad.name.slice(0, 100)}" is not the name of a parameter.`,
    });
  return { ...root, children: [...unchanged, ...added.map(({ name, value }) => xmlElement(name, value))] };
}

/** Refuses a masked number, which somebody has edited instead of typing it whole. */
function assertPlain({ name, text }: XmlElement, value: string): void {
  const wasMasked = holdsNumber(text) || /ssn/i.test(name);
  if (wasMasked && /X{3}/.test(value))
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Changes',
      message: `Changes: ${name} is masked here; enter the whole number.`,
    });
}
