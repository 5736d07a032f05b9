import { IMPORT_ENGINE } from '../contracts/import-engine.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import { CASE_CLOSED } from '../modules/work/decision/lib/lifecycle/close-case.ts';
import { decisionCancelOnClose } from '../modules/work/decision/settings.ts';
import { event } from '../modules/cases/records/event.record.ts';
import { referralEngine } from '../modules/imports/import/lib/referral-engine.ts';
import { investorName, referralLoanNeedsAssignment } from '../modules/imports/import/settings.ts';
import { batchReader } from '../providers/import-engine/batch-reader/batch-reader.ts';
import { bulkMerge } from '../providers/import-engine/bulk/bulk-merge.ts';
import { bulkReader } from '../providers/import-engine/bulk/bulk-reader.ts';
import type { NamedConnections } from '../providers/import-engine/bulk/named-connections.ts';
import { delimitedEngine } from '../providers/import-engine/delimited/delimited-engine.ts';
import { fixedWidthEngine } from '../providers/import-engine/fixed-width/fixed-width-engine.ts';
import { jsonEngine } from '../providers/import-engine/json/json-engine.ts';
import { legacyEventsEngine } from '../modules/imports/lib/events/legacy-events-engine.ts';
import { xmlEngine } from '../providers/import-engine/xml/xml-engine.ts';

/** Registers the import engines. `connections`: databases that bulk imports load into. */
export function registerImportEngines(
  providers: ProviderRegistry,
  { settings, connections }: { readonly settings: Settings; readonly connections: NamedConnections },
): void {
  providers.register(IMPORT_ENGINE, 'DelimitedEngine', delimitedEngine);
  providers.register(IMPORT_ENGINE, 'FixedWidthEngine', fixedWidthEngine);
  providers.register(IMPORT_ENGINE, 'XmlEngine', xmlEngine);
  providers.register(IMPORT_ENGINE, 'JsonEngine', jsonEngine);
  providers.register(
    IMPORT_ENGINE,
    'ReferralEngine',
    referralEngine(() => ({ investorName: settings.get(investorName) })),
  );
  providers.register(
    IMPORT_ENGINE,
    'LegacyEventsEngine',
    legacyEventsEngine({
      record: event,
      needsAssignment: () => settings.get(referralLoanNeedsAssignment),
      canceledStatus: () => (settings.get(decisionCancelOnClose) ? CASE_CLOSED : undefined),
    }),
  );
  providers.register(
    IMPORT_ENGINE,
    'BatchReader',
    batchReader({ table: delimitedEngine, xml: xmlEngine, json: jsonEngine }),
  );
  const bulk = {
    connections,
    engines: { table: delimitedEngine, fixed: fixedWidthEngine, xml: xmlEngine, json: jsonEngine },
  };
  providers.register(IMPORT_ENGINE, 'BulkReader', bulkReader(bulk));
  providers.register(IMPORT_ENGINE, 'BulkMerge', bulkMerge(bulk));
}
