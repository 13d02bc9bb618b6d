* ration VERSION, program 883a5ef54ff7c06ce13bdab1ced72151
* The objective is the plan's cost as reported, times 10^0.
NAME ration_883a5ef54ff7c06ce13bdab1ced72151 FREE
ROWS
 N cost
 E item(chat)
 E item(search)
 E item(~2)
 L row(memory%3Aa)
 E row(power)
 E row(tenants)
 E one(tenants)
 L width(tenants,1)
 L conflict(0,a)
 L conflict(0,b)
 E from(chat,search,a)
 E from(chat,search,b)
 E to(chat,search,a)
 E to(chat,search,b)
 E to(chat,search,RHS)
COLUMNS
 begin 'MARKER' 'INTORG'
 x(chat,a,fp16) cost 9 item(chat) 1
 x(chat,a,fp16) row(memory%3Aa) 1 row(tenants) 1
 x(chat,a,fp16) row(power) 4 conflict(0,a) 1
 x(chat,a,fp16) from(chat,search,a) -1
 x(chat,b,fp16) cost 5 item(chat) 1
 x(chat,b,fp16) row(power) 4 conflict(0,b) 1
 x(chat,b,fp16) from(chat,search,b) -1
 x(chat,a,int4) cost 12 item(chat) 1
 x(chat,a,int4) row(memory%3Aa) 1 row(tenants) 1
 x(chat,a,int4) row(power) 2 conflict(0,a) 1
 x(chat,a,int4) from(chat,search,a) -1
 x(chat,b,int4) cost 8 item(chat) 1
 x(chat,b,int4) row(power) 2 conflict(0,b) 1
 x(chat,b,int4) from(chat,search,b) -1
 x(search,RHS) cost 40 item(search) 1
 x(search,RHS) to(chat,search,RHS) -1
 x(search,a,fp16) cost 4 item(search) 1
 x(search,a,fp16) row(memory%3Aa) 1 row(tenants) 1
 x(search,a,fp16) row(power) 3 conflict(0,a) 1
 x(search,a,fp16) to(chat,search,a) -1
 x(search,b,fp16) cost 4 item(search) 1
 x(search,b,fp16) row(power) 3 conflict(0,b) 1
 x(search,b,fp16) to(chat,search,b) -1
 x(~2) cost 1 item(~2) 1
 x(~2) row(memory%3Aa) 4
 x(~2,,fp16) cost 9 item(~2) 1
 b(tenants,0) one(tenants) 1
 b(tenants,1) cost 30 row(tenants) -1
 b(tenants,1) one(tenants) 1 width(tenants,1) -1
 end 'MARKER' 'INTEND'
 w(power,0) row(power) -1
 w(power,1) cost 3 row(power) -1
 w(power,2) cost 7 row(power) -1
 w(tenants,1) row(tenants) -1 width(tenants,1) 1
 w(tenants,1) row(memory%3Aa) 2
 y(chat,search,a,a) cost 3 from(chat,search,a) 1
 y(chat,search,a,a) to(chat,search,a) 1
 y(chat,search,a,b) cost 7 from(chat,search,a) 1
 y(chat,search,a,b) to(chat,search,b) 1
 y(chat,search,a,RHS) cost 18 from(chat,search,a) 1
 y(chat,search,a,RHS) to(chat,search,RHS) 1
 y(chat,search,b,a) cost 8 from(chat,search,b) 1
 y(chat,search,b,a) to(chat,search,a) 1
 y(chat,search,b,b) from(chat,search,b) 1 to(chat,search,b) 1
 y(chat,search,b,RHS) cost 16 from(chat,search,b) 1
 y(chat,search,b,RHS) to(chat,search,RHS) 1
RHS
 rhs cost -100
 rhs item(chat) 1
 rhs item(search) 1
 rhs item(~2) 1
 rhs row(memory%3Aa) 6
 rhs row(power) 2
 rhs one(tenants) 1
 rhs conflict(0,a) 1
 rhs conflict(0,b) 1
BOUNDS
 BV bnd x(chat,a,fp16)
 BV bnd x(chat,b,fp16)
 BV bnd x(chat,a,int4)
 BV bnd x(chat,b,int4)
 BV bnd x(search,RHS)
 BV bnd x(search,a,fp16)
 BV bnd x(search,b,fp16)
 BV bnd x(~2)
 BV bnd x(~2,,fp16)
 BV bnd b(tenants,0)
 BV bnd b(tenants,1)
 UP bnd w(power,0) 1
 UP bnd w(power,1) 3
 UP bnd w(power,2) 1
ENDATA
