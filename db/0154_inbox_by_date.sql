-- A large inbox is read by date, conversation by conversation.
-- online: messages are many
create index concurrently if not exists message_latest_idx on message (
  (coalesce(receiveddate, sentdate, createddate)), (coalesce(threadid, messageid)));
create index concurrently if not exists message_conversation_idx on message (
  (coalesce(threadid, messageid)), (coalesce(receiveddate, sentdate, createddate)), messageid);
create index concurrently if not exists message_received_idx on message (messageid) include (threadid)
  where mailinboundid is not null;
