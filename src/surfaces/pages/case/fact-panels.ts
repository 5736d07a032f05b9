import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { badge, type Tone } from '../design/badge.ts';
import { panel } from '../design/card.ts';
import { displayValue, openPath } from '../display-values.ts';
import type { Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { f } from '../../../kernel/declare/field.ts';
import { factValue, type CaseFact } from './case-facts.ts';
import type { LayoutFact, LayoutPanel } from '../../../lib/page-layouts/content.ts';
import { shortDay } from '../days.ts';
import { partiesPanel, type Parties } from './parties.ts';
import { chapterText, type LegalChecks } from './side-panels.ts';

/** What the panels of facts show. */
export interface FactPanels {
  readonly call: PageCall;
  readonly panels: readonly LayoutPanel[];
  readonly facts: ReadonlyMap<LayoutFact, CaseFact>;
  readonly labels: Labels;
  readonly parties: Parties;
  readonly checks: LegalChecks;
  readonly ledgers: readonly RowNamed<'Ledger'>[];
  readonly unpaid: string | null;
}

const amount = f.money({ doc: '' });

/** Renders the panels of a layout in its order. Facts without a value are left out, and panels without facts. */
export function factPanels(parts: FactPanels): readonly (Markup | false)[] {
  return parts.panels.map((each, at) => {
    const id = `facts-${at}`;
    switch (each.panel) {
      case 'Parties':
        return panel({ id, title: 'Parties', body: partiesPanel(parts.call, parts.parties) });
      case 'Legal checks':
        return legalPanel(parts, id);
      case 'Balances':
        return balancePanel(parts, id);
      default:
        return listPanel(parts, each, id);
    }
  });
}

/** Renders names and values in two columns. */
function valueList(of: readonly (readonly [HtmlValue, HtmlValue])[], className = ''): Markup {
  const lines = of.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`);
  return html`<dl class="values ${className}">${lines}</dl>`;
}

function listPanel(
  { call, facts, labels }: FactPanels,
  { title, facts: own = [] }: LayoutPanel,
  id: string,
): Markup | false {
  const lines = own.flatMap((fact) => {
    const found = facts.get(fact);
    const value = found && factValue(call, found, labels);
    return found && value ? [[found.label, value] as const] : [];
  });
  return lines.length > 0 && panel({ id, title: title ?? 'Facts', body: valueList(lines) });
}

function legalPanel({ call, checks }: FactPanels, id: string): Markup | false {
  const military = checks.military.map(({ name, status, asOf, isActive }) => {
    const when = asOf !== null && html`, ${shortDay(call, asOf)}`;
    const text = html`${status ?? 'Not checked'}${when}`;
    const tone = militaryTone(status, isActive);
    return [html`Military, <bdi>${name}</bdi>`, badge(text, tone)] as const;
  });
  const [first] = checks.bankruptcies;
  const bankruptcy = first
    ? html`<a href="/case/bankruptcy/${first.id}">${badge(`Open${chapterText(first.chapter)}`, 'violet')}</a>`
    : badge('None open', 'ok');
  return panel({
    id,
    title: 'Legal checks',
    body: valueList([...military, ['Bankruptcy', bankruptcy], ['Represented', checks.isRepresented ? 'Yes' : 'No']]),
  });
}

/** Military service is violet; a check that has no result yet is to be made. */
function militaryTone(status: string | null, isActive: boolean): Tone {
  if (isActive) return 'violet';
  return status === null || status === 'Pending' || status === 'Error' ? 'warn' : 'ok';
}

function balancePanel({ call, ledgers, unpaid, labels }: FactPanels, id: string): Markup | false {
  const lines: (readonly [HtmlValue, HtmlValue])[] = [];
  if (unpaid !== null) lines.push(['Unpaid principal', displayValue(call, amount, unpaid, labels)]);
  for (const row of ledgers)
    lines.push([
      html`<a href="${openPath('ledger', row.LedgerID)}"><bdi>${row.Ledger}</bdi></a>`,
      displayValue(call, amount, row.BalanceAdjusted ?? row.Balance, labels),
    ]);
  return lines.length > 0 && panel({ id, title: 'Balances', body: valueList(lines, 'amounts') });
}
