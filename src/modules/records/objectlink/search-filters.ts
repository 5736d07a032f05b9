import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineSearchFilters, type SearchFilter } from '../../../kernel/declare/search-filter.ts';
import { linkCondition, SET_FILTER, type LinkFilter } from './lib/link-condition.ts';

/** The filters that follow links. For `LinkedTo`, a record that is found is the primary one of a link. */
const linkFilters: readonly (LinkFilter & Pick<SearchFilter, 'name' | 'doc'>)[] = [
  {
    name: 'LinkedTo',
    doc: 'Records that are linked to one of these, each a record type and an id: Loan:5.',
    own: 'primary',
    other: 'linked',
    not: false,
  },
  {
    name: 'LinkedFrom',
    doc: 'Records that one of these is linked to, each a record type and an id: Attachment:5.',
    own: 'linked',
    other: 'primary',
    not: false,
  },
  {
    name: 'NotLinkedTo',
    doc: 'Records that are linked to none of these.',
    own: 'primary',
    other: 'linked',
    not: true,
  },
  {
    name: 'NotLinkedFrom',
    doc: 'Records that none of these is linked to.',
    own: 'linked',
    other: 'primary',
    not: true,
  },
];
const names = new Set(linkFilters.map(({ name }) => name.toLowerCase()));

export const searchFilters = defineSearchFilters([
  ...linkFilters.map((filter): SearchFilter => ({
    name: filter.name,
    doc: filter.doc,
    condition: (ctx, record, sent, filterContext) => linkCondition(ctx, record, { ...sent, filter }, filterContext),
  })),
  {
    name: SET_FILTER,
    doc: 'The set of links to which the other link filters are restricted.',
    /** The other link filters include it, so it has no condition of its own; alone it is refused. */
    condition(_ctx, _record, { name, filters }) {
      if (Object.keys(filters).some((other) => names.has(other.toLowerCase()))) return 'true';
      throw bad(name, 'this filter together with LinkedTo, LinkedFrom, NotLinkedTo or NotLinkedFrom');
    },
  },
]);
