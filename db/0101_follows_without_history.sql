-- Who follows what is no longer saved as a record: follow/add and follow/remove are the only ways.
drop trigger follow_history on follow;
