import type { MailHouseType } from '../../../contracts/delivery.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Providers } from '../../../kernel/ports/providers.ts';
import { assertPrices } from '../prices.ts';
import { FolderMailHouse } from './folder-mail-house.ts';
import { folderMailHouseOptions } from './folder-options.ts';

/** Mail houses that take letters from a folder of a storage location. */
export function folderMailHouses(providers: Providers): MailHouseType<typeof folderMailHouseOptions> {
  return {
    options: folderMailHouseOptions,
    validate({ options }) {
      for (const name of ['Path', 'AcknowledgmentPath'] as const)
        if (!/^(?:\/[^/\p{Cc}]+)+$/u.test(options[name])) throw bad(name, 'a folder such as /outbox');
      if (options.Path === options.AcknowledgmentPath) throw bad('AcknowledgmentPath', 'another folder than Path');
      assertPrices(options);
    },
    open: ({ options }) => new FolderMailHouse(options, providers),
  };
}
