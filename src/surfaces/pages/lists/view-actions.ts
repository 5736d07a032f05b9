import { PlatformError } from '../../../kernel/door/errors.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordTypeFromPath } from '../record-address.ts';
import { sourceOf } from './list-sources.ts';

/** Saves, shares, pins or deletes a view of a list, and shows the list again. */
export const changeView = page(async (call) => {
  const record = recordTypeFromPath(call);
  const { path } = sourceOf(call, record);
  const sent = (name: string): string => plainText(call.form[name]);
  const base = sent('Path').startsWith('/') ? sent('Path') : path;
  const to = (id: number | string): PageAnswer => ({
    redirectTo: `${base === path ? path : `/records/${record.module}`}?View=${id}`,
  });
  const ViewID = sent('ViewID');
  const search = { Filters: sent('Filters'), Columns: sent('Columns'), SortedBy: sent('SortedBy') };
  switch (sent('Action')) {
    case 'create': {
      const saved = await call.call('view/save', {
        View: sent('Name').trim() || 'My view',
        RecordType: record.name,
        PersonID: call.user.personId,
        ...search,
      });
      return to(saved.answer.row.ViewID);
    }
    case 'save':
      await call.call('view/save', { ID: ViewID, ...search });
      return to(ViewID);
    case 'pin':
      await call.call('view/pin', { ViewID });
      return to(ViewID);
    case 'unpin':
      await call.call('view/pin', { ViewID, Pinned: false });
      return to(ViewID);
    case 'pin-for-all':
      await call.call('view/save', { ID: ViewID, Pinned: true });
      return to(ViewID);
    case 'unpin-for-all':
      await call.call('view/save', { ID: ViewID, Pinned: false });
      return to(ViewID);
    case 'share':
      await call.call('view/share', { ID: ViewID });
      return to(ViewID);
    case 'own':
      await call.call('view/share', { ID: ViewID, Own: true });
      return to(ViewID);
    case 'delete':
      return deleted(call, ViewID, path);
    default:
      throw new PlatformError('BAD_PARAMETER', { field: 'Action' });
  }
});

async function deleted(call: PageCall, id: string, path: string): Promise<PageAnswer> {
  await call.call('view/delete', { ID: id });
  return { redirectTo: path };
}
