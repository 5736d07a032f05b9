-- An inbox shows what its user has read. A firm's users see the read marks of messages that they see.
grant select on messageread to casewright_reach;
create policy reach on messageread for select to casewright_reach
  using (exists (select from message m where m.messageid = messageread.messageid));

-- online: an inbox has what its user sent, and what was sent to the user; both tables are large
create index concurrently if not exists message_sender_idx on message (createdpersonid)
  where sentdate is not null and mailinboundid is null;
create index concurrently if not exists messagerecipient_address_idx on messagerecipient (messagerecipient);
