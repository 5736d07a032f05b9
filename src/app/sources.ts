import { GEOCODER } from '../contracts/geocoder.ts';
import { MILITARY_SOURCE } from '../contracts/military-source.ts';
import type { Cipher } from '../kernel/security/cipher.ts';
import { outboundRules } from '../kernel/security/outbound.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import type { Store } from '../kernel/database/store.ts';
import {
  geocoderCensusBenchmark,
  geocoderCensusUrl,
  geocoderTimeoutSeconds,
} from '../modules/contacts/contact/settings.ts';
import { militaryService } from '../modules/searches/records/militaryservice.record.ts';
import { censusGeocoder } from '../providers/geocoder/census/census.ts';
import { zipTableGeocoder } from '../providers/geocoder/zip-table/zip-table.ts';
import { localTableMilitarySource } from '../providers/military-source/local-table/local-table.ts';

/** Registers geocoders and military sources in the order in which they are queried: exact addresses before areas. */
export function registerSources(
  providers: ProviderRegistry,
  { store, settings, cipher }: { readonly store: Store; readonly settings: Settings; readonly cipher: Cipher },
): void {
  const census = censusGeocoder(() => ({
    url: settings.get(geocoderCensusUrl),
    benchmark: settings.get(geocoderCensusBenchmark),
    timeoutSeconds: settings.get(geocoderTimeoutSeconds),
    rules: outboundRules(settings),
  }));
  providers.register(GEOCODER, 'CensusGeocoder', census);
  providers.register(GEOCODER, 'ZipTableGeocoder', zipTableGeocoder);
  providers.register(
    MILITARY_SOURCE,
    'LocalTable',
    localTableMilitarySource({ db: store, cipher, record: militaryService }),
  );
}
