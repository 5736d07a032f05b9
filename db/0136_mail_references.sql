-- Reports of mail services name a mail by the service's own ID of it.

-- online: maildelivery is large
create index concurrently if not exists maildelivery_reference_idx on maildelivery ((recipients -> 0 ->> 'Reference'))
  where recipients -> 0 ->> 'Reference' is not null;
